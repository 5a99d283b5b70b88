//! The mend of `ui-tests/parts_to_write_of_shared_memory.rs`. Take the memory as `&mut`.

use cuscope::memory::DeviceSliceMut;
use cuscope::{DeviceBuffer, PushedGuard, Result};

fn halves(x: &mut DeviceBuffer<'_, f32>) -> Result {
    x.split_at_mut(8).map(drop)
}

fn chunks(x: &mut DeviceBuffer<'_, f32>) -> Result {
    x.chunks_mut(8).map(drop)
}

fn part_of_a_part(part: &mut DeviceSliceMut<'_, '_, f32>) -> Result {
    part.slice_mut(..8).map(drop)
}

fn slice_of_the_host<'ctx>(gpu: &PushedGuard<'ctx>, x: &mut DeviceBuffer<'ctx, f32>) -> Result {
    gpu.host_slice_mut(x)?.fill(1.0);
    Ok(())
}

fn main() {}
