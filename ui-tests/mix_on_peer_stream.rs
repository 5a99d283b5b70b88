//! A stream of another context takes memory of that context, and between contexts `copy_from_peer` copies.
//!
//! **Why:** The driver takes any memory on any stream, and orders the copy with nothing in the context of `x` (F34).
//! A kernel there may still be writing it. It is a part of `own-context`.
//!
//! **Mend:** Copy by `copy_from_peer`. See `ui-tests/mended/mix_on_peer_stream.rs`.
//!
//! **Mistake** (a lifetime that may not live long enough):

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
