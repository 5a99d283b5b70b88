//! Memory of another interface is imported with a promise: nothing compares its size, and that interface may write it at any
//! time. A semaphore is, too: that interface may destroy it, or never signal it.

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
