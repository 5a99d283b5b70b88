//! What belongs to another process is imported with a promise: that process may free or write memory at any time, and
//! record or destroy events.

use cuscope::ipc::{EventHandle, MemoryHandle};
use cuscope::virtual_memory::PhysicalMemory;
use cuscope::{DeviceBuffer, Event, PushedGuard, Result};
use std::os::fd::BorrowedFd;

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, handle: &MemoryHandle) -> Result<DeviceBuffer<'ctx, f32>> {
    gpu.import_buffer(handle)
}

fn event<'ctx>(gpu: &PushedGuard<'ctx>, handle: &EventHandle) -> Result<Event<'ctx>> {
    gpu.import_event(handle)
}

fn physical(descriptor: BorrowedFd<'_>) -> Result<PhysicalMemory> {
    PhysicalMemory::import(descriptor, 1 << 21)
}

fn main() {}
