//! The reasons for which memory, events and pools do not go to other processes, or do not come from them.

use crate::memory::{PointerKind, pointer_info};
use ffi::{CUdeviceptr, CUresult};

/// Returns why memory of `PushedGuard::alloc`, or managed memory, was not exported.
#[inline]
pub(super) fn export(address: CUdeviceptr, code: CUresult) -> Option<String> {
    if code == ffi::CUDA_ERROR_NOT_SUPPORTED {
        return Some(
            "this system shares no memory between processes so: use `PhysicalMemory::create_shareable`, or \
             `MemoryPool::create_shareable`"
                .to_owned(),
        );
    }
    let kind = pointer_info(address).ok()??.kind;
    (kind == PointerKind::Managed).then(|| {
        "the memory is managed, which belongs to one process: export a buffer of `PushedGuard::alloc`".to_owned()
    })
}

/// Returns why a handle of an event was refused.
#[inline]
pub(super) fn import_event(code: CUresult) -> Option<String> {
    match code {
        // The context is current: the guard compared it.
        ffi::CUDA_ERROR_INVALID_CONTEXT => Some(SAME_PROCESS.to_owned()),
        ffi::CUDA_ERROR_INVALID_VALUE
        | ffi::CUDA_ERROR_INVALID_HANDLE
        | ffi::CUDA_ERROR_MAP_FAILED => {
            Some(format!("the bytes are no handle of `export_event`, or {GONE} the event"))
        }
        _ => None,
    }
}

/// Returns why a handle of memory was refused.
#[inline]
pub(super) fn import(code: CUresult) -> Option<String> {
    match code {
        // The context is current: the guard compared it.
        ffi::CUDA_ERROR_INVALID_CONTEXT => Some(SAME_PROCESS.to_owned()),
        ffi::CUDA_ERROR_INVALID_HANDLE => Some(
            "the memory is open in another context of this process: drop that buffer first, or import it in that \
             context"
                .to_owned(),
        ),
        ffi::CUDA_ERROR_INVALID_VALUE | ffi::CUDA_ERROR_MAP_FAILED => {
            Some(format!("the bytes are no handle of `export_buffer`, or {GONE} the buffer"))
        }
        _ => None,
    }
}

const SAME_PROCESS: &str = "the handle was exported by this process, and only another process imports it: use what was \
                            exported itself, or a clone of its owner";

/// The fate of the other process.
pub(super) const GONE: &str = "the process that exported it has ended, or has dropped";

/// Returns why an event was not exported.
#[inline]
pub(super) fn export_event(code: CUresult) -> Option<String> {
    (code == ffi::CUDA_ERROR_INVALID_HANDLE).then(|| {
        "the event was not created for other processes, or comes from one: create it with \
         `EventFlags::INTERPROCESS` and `DISABLE_TIMING`"
            .to_owned()
    })
}
