//! The mend of `ui-tests/tensor_map_freed_memory.rs`. Drop the memory after the launch.

use cuscope::tensor_map::TensorLayout;
use cuscope::{DeviceBuffer, Function, LaunchConfig, PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    kernel: &Function<'ctx>,
    buffer: DeviceBuffer<'ctx, f32>,
) -> Result {
    let map = gpu.tensor_map(&TensorLayout::tiled(&[64], &[32]), &buffer)?;
    // SAFETY: the kernel takes a tensor map of 64 numbers.
    unsafe { gpu.on(stream).launch_unchecked(kernel, LaunchConfig::new(1, 1), (map,)) }?;
    drop(buffer);
    Ok(())
}

fn main() {}
