//! The mend of `ui-tests/signature_with_a_lifetime.rs`. Write `In<f32>` and `Out<f32>`.

use cuscope::{In, Kernel, Out};

struct Kernels {
    saxpy: Kernel<(u32, f32, In<f32>, Out<f32>)>,
}

fn main() {}
