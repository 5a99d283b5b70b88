//! The mend of `ui-tests/external_without_unsafe.rs`. Import it in an `unsafe` block that says why the promise
//! holds.

use cuscope::external::{ExternalMemory, ExternalSemaphore, MemoryFlags, MemoryHandle, SemaphoreHandle};
use cuscope::texture::{ArrayFlags, ArrayShape, MipmappedArray};
use cuscope::{DeviceBuffer, PushedGuard, Result};

fn right<'ctx>(gpu: &PushedGuard<'ctx>, handle: MemoryHandle) -> Result<ExternalMemory<'ctx>> {
    // SAFETY: the memory has 4096 bytes, and the other interface orders its uses with ours.
    unsafe { gpu.import_external_memory(handle, 4096, MemoryFlags::empty()) }
}

fn maps<'ctx>(
    gpu: &PushedGuard<'ctx>,
    memory: &ExternalMemory<'ctx>,
) -> Result<DeviceBuffer<'ctx, f32>> {
    // SAFETY: the other interface orders its uses with ours.
    unsafe { gpu.map_external_buffer(memory, 0, 1024) }
}

fn levels<'ctx>(
    gpu: &PushedGuard<'ctx>,
    memory: &ExternalMemory<'ctx>,
) -> Result<MipmappedArray<'ctx, f32>> {
    let shape = ArrayShape::D2 { width: 8, height: 8 };
    // SAFETY: the other interface made an image of this shape, and orders its uses with ours.
    unsafe { gpu.map_external_mipmapped_array(memory, 0, shape, 2, ArrayFlags::empty()) }
}

fn semaphore<'ctx>(
    gpu: &PushedGuard<'ctx>,
    handle: SemaphoreHandle,
) -> Result<ExternalSemaphore<'ctx>> {
    // SAFETY: the other interface signals it, and destroys it after us.
    unsafe { gpu.import_external_semaphore(handle) }
}

fn main() {}
