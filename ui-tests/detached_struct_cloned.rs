//! A struct of handles is not cloned while it is detached.
//!
//! **Why:** Its `Clone` is code of the program, which would use the handles without a guard that has checked their
//! context. It is a part of `detached-unusable`.
//!
//! **Mend:** Detach an `Arc` of it, which is shared. See `ui-tests/mended/detached_struct_cloned.rs`.
//!
//! **Mistake** (E0308):

use cuscope::{Detached, Function};

cuscope::handles! {
    #[derive(Clone)]
    struct Kernels<'ctx> {
        first: Function<'ctx>,
        second: Function<'ctx>,
    }
}

fn misuse(kernels: &Detached<Kernels<'static>>) -> Detached<Kernels<'static>> {
    kernels.clone()
}

fn main() {}
