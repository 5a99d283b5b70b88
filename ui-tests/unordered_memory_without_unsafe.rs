//! What waits for nothing is `unsafe`.
//!
//! **Why:** The program orders every other use itself: of memory that is allocated in the order of a stream, of a
//! fill without a wait, and of memory that is attached to a stream. It is a part of `idle-outside`.
//!
//! **Mend:** Use the operations that wait, or say in an `unsafe` block how the program orders the uses. See
//! `ui-tests/mended/unordered_memory_without_unsafe.rs`.
//!
//! **Mistake** (E0133):

use cuscope::memory::{Attachment, MemoryPool};
use cuscope::{DeviceBuffer, Result, SyncStream};

fn memory<'ctx>(stream: &SyncStream<'_, 'ctx>, pool: &MemoryPool) -> Result<[DeviceBuffer<'ctx, f32>; 2]> {
    let x = stream.alloc_unscoped(16)?;
    let y = stream.alloc_from_unscoped(pool, 16)?;
    Ok([x, y])
}

fn uses<'ctx>(stream: &SyncStream<'_, 'ctx>, x: &mut DeviceBuffer<'ctx, f32>) -> Result {
    stream.fill_unscoped(x, 1.0)?;
    stream.attach(x, Attachment::Host)
}

fn main() {}
