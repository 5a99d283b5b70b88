//! The mend of `ui-tests/trust_without_unsafe.rs`. Vouch for it in an `unsafe` block that says why.

use cuscope::{Kernel, Out, TrustedKernel};

fn trusted(kernel: Kernel<(Out<f32>,)>) -> TrustedKernel<(Out<f32>,)> {
    // SAFETY: the kernel writes the first 16 elements of its argument.
    unsafe { kernel.trust(|_, (x,)| x.len() >= 16) }
}

fn main() {}
