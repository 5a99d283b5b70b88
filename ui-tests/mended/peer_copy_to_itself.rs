//! The mend of `ui-tests/peer_copy_to_itself.rs`. Copy to another buffer.

use cuscope::{DeviceBuffer, Result, SyncStream};

fn right<'ctx>(on: SyncStream<'_, 'ctx>, x: &DeviceBuffer<'ctx, f32>, y: &mut DeviceBuffer<'_, f32>) -> Result {
    on.copy_to_peer(x, y)
}

fn main() {}
