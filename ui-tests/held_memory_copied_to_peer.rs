//! `copy_to_peer` borrows memory of another context, and so takes none that the scope holds. Copy to that by
//! `copy_from_peer`, on a stream of its context.

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    x: &DeviceBuffer<'ctx, f32>,
    peer: &mut DeviceBuffer<'_, f32>,
) -> Result {
    gpu.scope(|s| {
        let mut peer = s.hold_peer(peer);
        s.on(stream).copy_to_peer(x, &mut peer)
    })
}

fn main() {}
