//! Memory of another process is imported with a promise: that process may free or write it at any time.

use cuscope::ipc::MemoryHandle;
use cuscope::{DeviceBuffer, PushedGuard, Result};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, handle: &MemoryHandle) -> Result<DeviceBuffer<'ctx, f32>> {
    gpu.import_buffer(handle)
}

fn main() {}
