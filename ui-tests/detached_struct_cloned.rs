//! Only handles of this crate are cloned while they are detached: the `Clone` of a struct would use them without a guard.
//! Clone it under one, or detach an `Arc` of it.

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
