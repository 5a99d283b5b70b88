//! Memory of another process's pool is imported with a promise.
//!
//! **Why:** That process may free or write it at any time. It is a part of `imported-apart`.
//!
//! **Mend:** Import it in an `unsafe` block that says why the promise holds. See
//! `ui-tests/mended/import_pool_without_unsafe.rs`.
//!
//! **Mistake** (E0133):

use cuscope::ipc::{ImportedPool, PooledHandle};
use cuscope::{DeviceBuffer, PushedGuard, Result};
use std::os::fd::BorrowedFd;

fn pool(descriptor: BorrowedFd<'_>) -> Result<ImportedPool> {
    ImportedPool::import(descriptor)
}

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    pool: &ImportedPool,
    handle: &PooledHandle,
) -> Result<DeviceBuffer<'ctx, f32>> {
    gpu.import_pooled(pool, handle)
}

fn main() {}
