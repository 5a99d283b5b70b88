//! A struct of handles changes its lifetime when it is detached, so everything in it has to be a handle or to have
//! no lifetime.
//!
//! **Why:** A reference would outlive what it borrows. It is a part of `detached-unusable`.
//!
//! **Mend:** Own the text, or wrap it in `Plain`. See `ui-tests/mended/handles_with_a_borrow.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{Stream, handles};

handles! {
    struct Named<'ctx> {
        stream: Stream<'ctx>,
        name: &'ctx str,
    }
}

fn main() {}
