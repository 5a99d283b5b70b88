//! Every handle of a struct belongs to the guard that the struct belongs to.
//!
//! **Why:** One of another guard would be attached with the rest, unseen (F34). It is a part of `detached-unusable`.
//!
//! **Mend:** Keep that one as `Plain(detached)`. See `ui-tests/mended/handles_of_another_lifetime.rs`.
//!
//! **Mistake** (a lifetime that may not live long enough):

use cuscope::{Stream, handles};

handles! {
    struct Two<'ctx> {
        own: Stream<'ctx>,
        other: Stream<'static>,
    }
}

fn main() {}
