//! The mend of `ui-tests/peer_memory_in_scope.rs`. Allocate outside, and use one scope for each use.

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn local<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>, y: &mut DeviceBuffer<'ctx, f32>) -> Result {
    let x = gpu.alloc::<f32>(8)?;
    gpu.scope(|s| s.on(stream).copy_from_peer(&x, &mut s.hold(y)))
}

fn twice<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    x: &DeviceBuffer<'ctx, f32>,
    peer: &mut DeviceBuffer<'_, f32>,
) -> Result {
    gpu.scope(|s| s.on(stream).copy_to_peer(x, peer))?;
    gpu.scope(|s| s.on(stream).copy_to_peer(x, peer))
}

fn read_and_written<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    y: &mut DeviceBuffer<'ctx, f32>,
    peer: &mut DeviceBuffer<'_, f32>,
) -> Result {
    gpu.scope(|s| {
        let (stream, mut y) = (s.on(stream), s.hold(y));
        stream.copy_from_peer(&*peer, &mut y)
    })?;
    gpu.scope(|s| s.on(stream).copy_to_peer(&*y, peer))
}

fn written_by_another<'a, 'b>(
    (a, b): (&PushedGuard<'a>, &PushedGuard<'b>),
    (first, second): (&Stream<'a>, &Stream<'b>),
    x: &mut DeviceBuffer<'a, f32>,
    y: &mut DeviceBuffer<'b, f32>,
) -> Result {
    b.scope(|s| {
        s.on(second).copy_from_peer(&*x, &mut s.hold(y))
    })?;
    a.on(first).zero(x)
}

fn main() {}
