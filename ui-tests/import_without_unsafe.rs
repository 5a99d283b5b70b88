//! What belongs to another process is imported with a promise.
//!
//! **Why:** That process may free or write memory at any time, and record or destroy events. It is a part of
//! `imported-apart`.
//!
//! **Mend:** Import it in an `unsafe` block that says why the promise holds. See
//! `ui-tests/mended/import_without_unsafe.rs`.
//!
//! **Mistake** (E0133):

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
