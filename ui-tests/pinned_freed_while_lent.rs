//! Page-locked memory is freed once nothing borrows it any more: a copy may be writing to it.

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
