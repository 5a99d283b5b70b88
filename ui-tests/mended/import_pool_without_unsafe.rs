//! The mend of `ui-tests/import_pool_without_unsafe.rs`. Import it in an `unsafe` block that says why the promise
//! holds.

use cuscope::ipc::{ImportedPool, PooledHandle};
use cuscope::{DeviceBuffer, PushedGuard, Result};
use std::os::fd::BorrowedFd;

fn pool(descriptor: BorrowedFd<'_>) -> Result<ImportedPool> {
    // SAFETY: the other process orders its uses with ours, and frees behind us.
    unsafe { ImportedPool::import(descriptor) }
}

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    pool: &ImportedPool,
    handle: &PooledHandle,
) -> Result<DeviceBuffer<'ctx, f32>> {
    // SAFETY: as above.
    unsafe { gpu.import_pooled(pool, handle) }
}

fn main() {}
