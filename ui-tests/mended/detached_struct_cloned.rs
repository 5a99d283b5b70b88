//! The mend of `ui-tests/detached_struct_cloned.rs`. Detach an `Arc` of it, which is shared.

use cuscope::{Detached, Function};
use std::sync::Arc;

cuscope::handles! {
    #[derive(Clone)]
    struct Kernels<'ctx> {
        first: Function<'ctx>,
        second: Function<'ctx>,
    }
}

fn right(kernels: &Detached<Arc<Kernels<'static>>>) -> Detached<Arc<Kernels<'static>>> {
    kernels.clone()
}

fn main() {}
