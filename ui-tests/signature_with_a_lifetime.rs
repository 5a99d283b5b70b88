//! A slice in the signature of a kernel in a struct asks for a lifetime. `In<T>` and `Out<T>` have none.

use cuscope::Kernel;

struct Kernels {
    saxpy: Kernel<(u32, f32, &[f32], &mut [f32])>,
}

fn main() {}
