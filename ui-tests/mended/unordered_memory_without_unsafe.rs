//! The mend of `ui-tests/unordered_memory_without_unsafe.rs`. Use the operations that wait, or say in an `unsafe`
//! block how the program orders the uses.

use cuscope::memory::{Attachment, MemoryPool};
use cuscope::{DeviceBuffer, Result, SyncStream};

fn memory<'ctx>(stream: &SyncStream<'_, 'ctx>, pool: &MemoryPool) -> Result<[DeviceBuffer<'ctx, f32>; 2]> {
    // SAFETY: the program uses the memory on this stream alone, and drops it behind its work.
    let x = unsafe { stream.alloc_unscoped(16) }?;
    // SAFETY: as above.
    let y = unsafe { stream.alloc_from_unscoped(pool, 16) }?;
    Ok([x, y])
}

fn uses<'ctx>(stream: &SyncStream<'_, 'ctx>, x: &mut DeviceBuffer<'ctx, f32>) -> Result {
    // SAFETY: as above.
    unsafe { stream.fill_unscoped(x, 1.0) }?;
    // SAFETY: as above.
    unsafe { stream.attach(x, Attachment::Host) }
}

fn main() {}
