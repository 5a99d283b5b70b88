//! What waits for nothing is `unsafe`: memory that is allocated in the order of a stream, a fill without a wait, and memory
//! that is attached to a stream. The program orders every other use itself.

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
