//! The primary context of a device: the one that the CUDA runtime uses.

use crate::types::*;
use core::ffi::{c_int, c_uint};

/// Hands the functions of this group to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! primary_context_functions { ($with:path) => { $with! {
    /// Retains the primary context, creating it if need be; does not push it.
    7000 fn cuDevicePrimaryCtxRetain(pctx: *mut CUcontext, dev: CUdevice) -> CUresult;
    /// Gives one retain back; the last one deactivates the context.
    11000 fn cuDevicePrimaryCtxRelease_v2(dev: CUdevice) -> CUresult;
    /// Sets the flags that the primary context has or will have.
    11000 fn cuDevicePrimaryCtxSetFlags_v2(dev: CUdevice, flags: c_uint) -> CUresult;
    /// The flags of the primary context, and whether it is active.
    7000 fn cuDevicePrimaryCtxGetState(dev: CUdevice, flags: *mut c_uint, active: *mut c_int) -> CUresult;
    /// Destroys what the primary context holds, whoever uses it.
    11000 fn cuDevicePrimaryCtxReset_v2(dev: CUdevice) -> CUresult;
} } }
primary_context_functions!(declare);

// skipped cuDevicePrimaryCtxRelease: superseded by cuDevicePrimaryCtxRelease_v2
// skipped cuDevicePrimaryCtxSetFlags: superseded by cuDevicePrimaryCtxSetFlags_v2
// skipped cuDevicePrimaryCtxReset: superseded by cuDevicePrimaryCtxReset_v2
