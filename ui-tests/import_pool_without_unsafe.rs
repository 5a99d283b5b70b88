//! Memory of another process's pool is imported with a promise: that process may free or write it at any time.

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
