//! A number has the type of the kernel's parameter.
//!
//! **Why:** The kernel reads as many bytes as its parameter has, and `usize` has eight. It is a part of
//! `signature-compared`.
//!
//! **Mend:** Convert it: `len as u32`, or `u32::try_from(len)` if it may be larger. See
//! `ui-tests/mended/number_of_another_type.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{DeviceBuffer, Kernel, LaunchConfig, Out, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    kernel: &Kernel<(u32, Out<f32>)>,
    y: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    let n = y.len();
    // SAFETY: the kernel writes the first `n` elements.
    unsafe { gpu.on(stream).launch_unchecked(kernel, LaunchConfig::for_num_elems(n)?, (n, y)) }
}

fn main() {}
