//! Memory of another interface is imported with a promise: nothing compares its size, and that interface may write it at any
//! time.

use cuscope::external::{ExternalMemory, MemoryFlags, MemoryHandle};
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

fn main() {}
