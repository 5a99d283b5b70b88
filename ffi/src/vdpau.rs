//! Surfaces of VDPAU, which are known by their numbers there. No driver of Windows has these functions.

use crate::types::*;
use core::ffi::{c_uint, c_void};

/// Hands the functions of this group to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! vdpau_functions { ($with:path) => { $with! {
    /// The device of a device of VDPAU, whose functions `vdpGetProcAddress` finds.
    3010 fn cuVDPAUGetDevice(pDevice: *mut CUdevice, vdpDevice: c_uint, vdpGetProcAddress: Option<unsafe extern "C" fn(c_uint, c_uint, *mut *mut c_void) -> c_uint>) -> CUresult;
    /// Creates a context for work with VDPAU.
    3020 fn cuVDPAUCtxCreate_v2(pCtx: *mut CUcontext, flags: c_uint, device: CUdevice, vdpDevice: c_uint, vdpGetProcAddress: Option<unsafe extern "C" fn(c_uint, c_uint, *mut *mut c_void) -> c_uint>) -> CUresult;
    /// Registers a video surface.
    3010 fn cuGraphicsVDPAURegisterVideoSurface(pCudaResource: *mut CUgraphicsResource, vdpSurface: c_uint, flags: c_uint) -> CUresult;
    /// Registers an output surface.
    3010 fn cuGraphicsVDPAURegisterOutputSurface(pCudaResource: *mut CUgraphicsResource, vdpSurface: c_uint, flags: c_uint) -> CUresult;
} } }
vdpau_functions!(declare);
