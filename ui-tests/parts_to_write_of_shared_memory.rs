//! Memory that is lent to read gives no parts to write.
//!
//! **Why:** Whoever else it is lent to may read them, or take the same parts. It is a part of
//! `host-memory-borrowed`.
//!
//! **Mend:** Take the memory as `&mut`. See `ui-tests/mended/parts_to_write_of_shared_memory.rs`.
//!
//! **Mistake** (E0308, E0596):

use cuscope::memory::DeviceSliceMut;
use cuscope::{DeviceBuffer, PushedGuard, Result};

fn halves(x: &DeviceBuffer<'_, f32>) -> Result {
    x.split_at_mut(8).map(drop)
}

fn chunks(x: &DeviceBuffer<'_, f32>) -> Result {
    x.chunks_mut(8).map(drop)
}

fn part_of_a_part(part: &DeviceSliceMut<'_, '_, f32>) -> Result {
    part.slice_mut(..8).map(drop)
}

fn slice_of_the_host<'ctx>(gpu: &PushedGuard<'ctx>, x: &DeviceBuffer<'ctx, f32>) -> Result {
    gpu.host_slice_mut(x)?.fill(1.0);
    Ok(())
}

fn main() {}
