//! Only this crate says which types can change their guard.
//!
//! **Why:** Another one could smuggle a handle into another context (F34). It is a part of `detached-unusable`.
//!
//! **Mend:** Declare a struct of handles with `cuscope::handles!`, which checks its fields. See
//! `ui-tests/mended/branded_is_sealed.rs`.
//!
//! **Mistake** (E0046, E0277):

use cuscope::{Stream, detached::Branded};

struct Mine<'ctx>(Stream<'ctx>);

unsafe impl<'ctx> Branded for Mine<'ctx> {
    type With<'b> = Stream<'b>;
}

fn main() {}
