//! The mend of `ui-tests/pinned_freed_while_lent.rs`. Drop it after its last use.

use cuscope::{DeviceBuffer, PinnedBuffer, PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    buffer: &DeviceBuffer<'ctx, u32>,
    mut pinned: PinnedBuffer<u32>,
) -> Result {
    let half = &mut pinned[..512];
    gpu.on(stream).download(buffer, half)?;
    drop(pinned);
    Ok(())
}

fn main() {}
