//! The mend of `ui-tests/handles_with_a_borrow.rs`. Own the text, or wrap it in `Plain`.

use cuscope::{Stream, detached::Plain, handles};

handles! {
    struct Named<'ctx> {
        stream: Stream<'ctx>,
        name: Plain<String>,
    }
}

fn main() {}
