//! The mend of `ui-tests/held_memory_copied_to_peer.rs`. Copy to that by `copy_from_peer`, on a stream of its
//! context.

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    x: &DeviceBuffer<'ctx, f32>,
    peer: &mut DeviceBuffer<'_, f32>,
) -> Result {
    gpu.scope(|s| s.on(stream).copy_to_peer(x, peer))
}

fn main() {}
