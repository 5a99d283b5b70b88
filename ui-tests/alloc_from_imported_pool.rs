//! The pool of another process gives no memory: only that process allocates from it.

use cuscope::ipc::ImportedPool;
use cuscope::{DeviceBuffer, Result, SyncStream};

fn misuse<'ctx>(stream: &SyncStream<'_, 'ctx>, pool: &ImportedPool) -> Result<DeviceBuffer<'ctx, f32>> {
    stream.alloc_from(pool, 16)
}

fn main() {}
