//! The mend of `ui-tests/peer_copy_to_shared.rs`. Take it as `&mut`.

use cuscope::{DeviceBuffer, Result, SyncStream};

fn right<'ctx>(
    stream: &SyncStream<'_, 'ctx>,
    from: &DeviceBuffer<'_, f32>,
    to: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    stream.copy_from_peer(from, to)
}

fn main() {}
