//! A copy between contexts writes what it copies to, so that it takes that alone: others may read memory that is lent to read.

use cuscope::{DeviceBuffer, Result, SyncStream};

fn misuse<'ctx>(
    stream: &SyncStream<'_, 'ctx>,
    from: &DeviceBuffer<'_, f32>,
    to: &DeviceBuffer<'ctx, f32>,
) -> Result {
    stream.copy_from_peer(from, to)
}

fn main() {}
