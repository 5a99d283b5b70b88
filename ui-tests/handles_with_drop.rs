//! A struct of handles is taken apart when it is detached or attached, so it has no `Drop` of its own.
//!
//! **Why:** Its handles release themselves. It is a part of `detached-unusable`.
//!
//! **Mend:** Put what else has to happen into a struct around it. See `ui-tests/mended/handles_with_drop.rs`.
//!
//! **Mistake** (E0509):

use cuscope::{Stream, handles};

handles! {
    struct Watched<'ctx> {
        stream: Stream<'ctx>,
    }
}

impl Drop for Watched<'_> {
    fn drop(&mut self) {}
}

fn main() {}
