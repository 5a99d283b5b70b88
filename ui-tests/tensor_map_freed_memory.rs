//! A tensor map has the address of its memory, which is not freed before the last launch with the map.
//!
//! **Why:** The kernel finds the address in the map, where no argument shows it. It would load from memory that is
//! freed, or that of another buffer. It is a part of `map-in-memory`.
//!
//! **Mend:** Drop the memory after the launch. See `ui-tests/mended/tensor_map_freed_memory.rs`.
//!
//! **Mistake** (E0505):

use cuscope::tensor_map::TensorLayout;
use cuscope::{DeviceBuffer, Function, LaunchConfig, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    kernel: &Function<'ctx>,
    buffer: DeviceBuffer<'ctx, f32>,
) -> Result {
    let map = gpu.tensor_map(&TensorLayout::tiled(&[64], &[32]), &buffer)?;
    drop(buffer);
    // SAFETY: the kernel takes a tensor map of 64 numbers.
    unsafe { gpu.on(stream).launch_unchecked(kernel, LaunchConfig::new(1, 1), (map,)) }
}

fn main() {}
