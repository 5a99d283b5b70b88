//! Handles of Windows, and handles for other processes where there are none: an error, never a crash.
#![allow(unsafe_code, reason = "imports memory and semaphores")]

use crate::common;
use crate::common::gpu::with_gpu;
use crate::skip;
use cuscope::external::{MemoryFlags, MemoryHandle, SemaphoreHandle};
use cuscope::{Error, EventFlags, Result, ffi};
use std::fmt::Debug;

fn refused<T: Debug>(result: Result<T>, code: ffi::CUresult, call: &str) {
    let error = result.unwrap_err();
    assert_eq!((error.code(), error.call()), (Some(code), Some(call)), "{error}");
}

/// F460
#[test]
fn handles_of_windows_are_refused() {
    if cfg!(windows) && !common::software() {
        skip!("a driver for Windows may follow what is no handle");
    }
    with_gpu(|gpu| {
        let some = std::ptr::without_provenance_mut(4096);
        for (handle, code) in [
            (MemoryHandle::OpaqueWin32(some), ffi::CUDA_ERROR_NOT_SUPPORTED),
            (MemoryHandle::OpaqueWin32Kmt(some), ffi::CUDA_ERROR_NOT_SUPPORTED),
            (MemoryHandle::D3d12Heap(some), ffi::CUDA_ERROR_NOT_SUPPORTED),
            // Resources are dedicated (F460).
            (MemoryHandle::D3d12Resource(some), ffi::CUDA_ERROR_INVALID_VALUE),
            (MemoryHandle::D3d11Resource(some), ffi::CUDA_ERROR_INVALID_VALUE),
            (MemoryHandle::D3d11ResourceKmt(some), ffi::CUDA_ERROR_INVALID_VALUE),
        ] {
            // SAFETY: 1. and 2. It is not imported.
            let refusal = unsafe { gpu.import_external_memory(handle, 4096, MemoryFlags::empty()) };
            refused(refusal, code, "cuImportExternalMemory");
        }
        for handle in [
            SemaphoreHandle::OpaqueWin32(some),
            SemaphoreHandle::OpaqueWin32Kmt(some),
            SemaphoreHandle::TimelineWin32(some),
            SemaphoreHandle::D3d12Fence(some),
            SemaphoreHandle::D3d11Fence(some),
        ] {
            // SAFETY: 1. and 2. It is not imported.
            let refusal = unsafe { gpu.import_external_semaphore(handle) };
            refused(refusal, ffi::CUDA_ERROR_NOT_SUPPORTED, "cuImportExternalSemaphore");
        }
    });
}

#[test]
fn without_memory_for_other_processes_there_are_no_handles_of_it() {
    if !common::software() || cfg!(target_os = "linux") {
        skip!("memory goes to other processes here");
    }
    with_gpu(|gpu| {
        let none = ffi::CUDA_ERROR_NOT_SUPPORTED;
        refused(gpu.export_buffer(&gpu.alloc::<u32>(4).unwrap()), none, "cuIpcGetMemHandle");
        let made = gpu.event_with(EventFlags::INTERPROCESS | EventFlags::DISABLE_TIMING);
        let exported = made.and_then(|event| gpu.export_event(&event));
        assert!(matches!(exported, Err(Error::Driver(_))), "{exported:?}");
        let memory = cuscope::ipc::MemoryHandle::from_bytes([7; cuscope::ipc::MemoryHandle::SIZE]);
        // SAFETY: none is met: nothing is imported.
        let imported = unsafe { gpu.import_buffer::<u32>(&memory) };
        assert!(matches!(imported, Err(Error::Driver(_))), "{imported:?}");
    });
}
