//! The mend of `ui-tests/read_part_written.rs`. Write `slice_mut` or `chunks_mut`.

use cuscope::{DeviceBuffer, SyncStream, Result};

fn right<'ctx>(stream: SyncStream<'_, 'ctx>, x: &mut DeviceBuffer<'ctx, f32>) -> Result {
    stream.fill(&mut x.slice_mut(..8)?, 1.0)
}

fn main() {}
