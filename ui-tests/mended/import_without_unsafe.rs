//! The mend of `ui-tests/import_without_unsafe.rs`. Import it in an `unsafe` block that says why the promise holds.

use cuscope::ipc::{EventHandle, MemoryHandle};
use cuscope::virtual_memory::PhysicalMemory;
use cuscope::{DeviceBuffer, Event, PushedGuard, Result};
use std::os::fd::BorrowedFd;

fn right<'ctx>(gpu: &PushedGuard<'ctx>, handle: &MemoryHandle) -> Result<DeviceBuffer<'ctx, f32>> {
    // SAFETY: the other process orders its uses with ours, and frees behind us.
    unsafe { gpu.import_buffer(handle) }
}

fn event<'ctx>(gpu: &PushedGuard<'ctx>, handle: &EventHandle) -> Result<Event<'ctx>> {
    // SAFETY: as above.
    unsafe { gpu.import_event(handle) }
}

fn physical(descriptor: BorrowedFd<'_>) -> Result<PhysicalMemory> {
    // SAFETY: as above; the memory has 2 MiB.
    unsafe { PhysicalMemory::import(descriptor, 1 << 21) }
}

fn main() {}
