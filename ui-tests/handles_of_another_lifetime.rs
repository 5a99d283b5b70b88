//! Every handle of a struct belongs to the guard that the struct belongs to: one of another guard would be
//! attached with the rest, unseen (F34). Keep that one as `Plain(detached)`.

use cuscope::{Stream, handles};

handles! {
    struct Two<'ctx> {
        own: Stream<'ctx>,
        other: Stream<'static>,
    }
}

fn main() {}
