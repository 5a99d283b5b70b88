//! A stream of another context takes memory of that context, and between contexts `copy_from_peer` copies.

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn misuse<'a, 'b>(
    gpu: &PushedGuard<'a>,
    theirs: &Stream<'b>,
    x: &DeviceBuffer<'a, f32>,
    y: &mut DeviceBuffer<'b, f32>,
) -> Result {
    gpu.scope(|s| s.on_peer(theirs).copy(x, &mut s.hold_peer(y)))
}

fn main() {}
