//! Somebody vouches for a trusted kernel: that it stays inside its arguments, whenever its check accepts the launch.
//!
//! **Why:** All launches of it are safe then, and nothing else checks it.
//!
//! **Mend:** Vouch for it in an `unsafe` block that says why. See `ui-tests/mended/trust_without_unsafe.rs`.
//!
//! **Mistake** (E0133):

use cuscope::{Kernel, Out, TrustedKernel};

fn trusted(kernel: Kernel<(Out<f32>,)>) -> TrustedKernel<(Out<f32>,)> {
    kernel.trust(|_, (x,)| x.len() >= 16)
}

fn main() {}
