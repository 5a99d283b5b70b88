//! The mend of `ui-tests/mix_on_peer_stream.rs`. Copy by `copy_from_peer`.

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn right<'a, 'b>(
    gpu: &PushedGuard<'a>,
    theirs: &Stream<'b>,
    x: &DeviceBuffer<'a, f32>,
    y: &mut DeviceBuffer<'b, f32>,
) -> Result {
    gpu.scope(|s| s.on_peer(theirs).copy_from_peer(x, &mut s.hold_peer(y)))
}

fn main() {}
