//! A slice in the signature of a kernel in a struct asks for a lifetime.
//!
//! **Why:** The struct outlives the memory of each launch, so its types name none. It is a part of
//! `signature-compared`.
//!
//! **Mend:** Write `In<f32>` and `Out<f32>`. See `ui-tests/mended/signature_with_a_lifetime.rs`.
//!
//! **Mistake** (E0106):

use cuscope::Kernel;

struct Kernels {
    saxpy: Kernel<(u32, f32, &[f32], &mut [f32])>,
}

fn main() {}
