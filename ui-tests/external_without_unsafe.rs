//! Memory and semaphores of another interface are imported with a promise.
//!
//! **Why:** Nothing compares the size of the memory, and that interface may write it at any time. It may destroy a
//! semaphore, or never signal it. It is a part of `external-kept`.
//!
//! **Mend:** Import it in an `unsafe` block that says why the promise holds. See
//! `ui-tests/mended/external_without_unsafe.rs`.
//!
//! **Mistake** (E0133):

use cuscope::external::{ExternalMemory, ExternalSemaphore, MemoryFlags, MemoryHandle, SemaphoreHandle};
use cuscope::texture::{ArrayFlags, ArrayShape, MipmappedArray};
use cuscope::{DeviceBuffer, PushedGuard, Result};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, handle: MemoryHandle) -> Result<ExternalMemory<'ctx>> {
    gpu.import_external_memory(handle, 4096, MemoryFlags::empty())
}

fn maps<'ctx>(
    gpu: &PushedGuard<'ctx>,
    memory: &ExternalMemory<'ctx>,
) -> Result<DeviceBuffer<'ctx, f32>> {
    gpu.map_external_buffer(memory, 0, 1024)
}

fn levels<'ctx>(
    gpu: &PushedGuard<'ctx>,
    memory: &ExternalMemory<'ctx>,
) -> Result<MipmappedArray<'ctx, f32>> {
    let shape = ArrayShape::D2 { width: 8, height: 8 };
    gpu.map_external_mipmapped_array(memory, 0, shape, 2, ArrayFlags::empty())
}

fn semaphore<'ctx>(
    gpu: &PushedGuard<'ctx>,
    handle: SemaphoreHandle,
) -> Result<ExternalSemaphore<'ctx>> {
    gpu.import_external_semaphore(handle)
}

fn main() {}
