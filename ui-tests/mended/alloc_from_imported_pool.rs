//! The mend of `ui-tests/alloc_from_imported_pool.rs`. Allocate from a pool of this process, and import what the
//! other process allocated by `import_pooled`.

use cuscope::{DeviceBuffer, MemoryPool, Result, SyncStream};

fn right<'ctx>(stream: &SyncStream<'_, 'ctx>, pool: &MemoryPool) -> Result<DeviceBuffer<'ctx, f32>> {
    stream.alloc_from(pool, 16)
}

fn main() {}
