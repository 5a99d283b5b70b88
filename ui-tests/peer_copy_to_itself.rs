//! A copy between contexts has two ends: nothing is copied to the memory that it is copied from.

use cuscope::{DeviceBuffer, Result, SyncStream};

fn misuse<'ctx>(on: SyncStream<'_, 'ctx>, x: &mut DeviceBuffer<'ctx, f32>) -> Result {
    on.copy_to_peer(x, x)
}

fn main() {}
