//! The pool of another process gives no memory.
//!
//! **Why:** Only that process allocates from it. It is a part of `imported-apart`.
//!
//! **Mend:** Allocate from a pool of this process, and import what the other process allocated by `import_pooled`.
//! See `ui-tests/mended/alloc_from_imported_pool.rs`.
//!
//! **Mistake** (E0308):

use cuscope::ipc::ImportedPool;
use cuscope::{DeviceBuffer, Result, SyncStream};

fn misuse<'ctx>(stream: &SyncStream<'_, 'ctx>, pool: &ImportedPool) -> Result<DeviceBuffer<'ctx, f32>> {
    stream.alloc_from(pool, 16)
}

fn main() {}
