//! The mend of `ui-tests/out_given_shared_memory.rs`. Take it as `&mut`.

use cuscope::{DeviceBuffer, In, Kernel, LaunchConfig, Out, Result, SyncStream};

struct Kernels {
    twice: Kernel<(u32, In<f32>, Out<f32>)>,
}

fn twice<'ctx>(
    stream: SyncStream<'_, 'ctx>,
    kernels: &Kernels,
    x: &DeviceBuffer<'ctx, f32>,
    y: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    // SAFETY: twice(unsigned, const float *, float *) over 4 elements.
    unsafe { stream.launch_unchecked(&kernels.twice, LaunchConfig::new(1, 4), (4, x, y)) }
}

fn main() {}
