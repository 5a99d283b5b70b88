//! `copy_to_peer` borrows memory of another context, and so takes none that the scope holds.
//!
//! **Why:** The scope may have work of another stream in flight with that memory. A copy outside of the scope's order
//! would overwrite what a kernel is reading. It is a part of `peers-borrowed`.
//!
//! **Mend:** Copy to that by `copy_from_peer`, on a stream of its context. See
//! `ui-tests/mended/held_memory_copied_to_peer.rs`.
//!
//! **Mistake** (E0277):

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
