//! The mend of `ui-tests/handles_with_drop.rs`. Put what else has to happen into a struct around it.

use cuscope::{Detached, Stream, handles};

handles! {
    struct Watched<'ctx> {
        stream: Stream<'ctx>,
    }
}

struct Around(Detached<Watched<'static>>);

impl Drop for Around {
    fn drop(&mut self) {}
}

fn main() {}
