//! The mend of `ui-tests/number_of_another_type.rs`. Convert it: `len as u32`, or `u32::try_from(len)` if it may be
//! larger.

use cuscope::{DeviceBuffer, Kernel, LaunchConfig, Out, PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    kernel: &Kernel<(u32, Out<f32>)>,
    y: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    let n = y.len();
    // SAFETY: the kernel writes the first `n` elements.
    unsafe { gpu.on(stream).launch_unchecked(kernel, LaunchConfig::for_num_elems(n)?, (n as u32, y)) }
}

fn main() {}
