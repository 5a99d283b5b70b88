//! Page-locked memory is freed once nothing borrows it any more.
//!
//! **Why:** A copy may be writing to it. It is a part of `pinned-is-rusts`.
//!
//! **Mend:** Drop it after its last use. See `ui-tests/mended/pinned_freed_while_lent.rs`.
//!
//! **Mistake** (E0505):

use cuscope::{DeviceBuffer, PinnedBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    buffer: &DeviceBuffer<'ctx, u32>,
    mut pinned: PinnedBuffer<u32>,
) -> Result {
    let half = &mut pinned[..512];
    drop(pinned);
    gpu.on(stream).download(buffer, half)
}

fn main() {}
