//! The mend of `ui-tests/handles_of_another_lifetime.rs`. Keep that one as `Plain(detached)`.

use cuscope::detached::Plain;
use cuscope::{Detached, Stream, handles};

handles! {
    struct Two<'ctx> {
        own: Stream<'ctx>,
        other: Plain<Detached<Stream<'static>>>,
    }
}

fn main() {}
