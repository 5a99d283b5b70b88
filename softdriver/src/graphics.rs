//! Resources of graphics, of which none is ever registered (F471).
#![allow(unsafe_code, reason = "exported functions")]

use crate::entry::{Answer, driver, wanted};
use core::ffi::c_uint;
use cuscope_sys::*;

/// What every resource is.
const NONE: Answer = Err(CUDA_ERROR_INVALID_HANDLE);

/// Resources, at least one.
fn some(count: c_uint, resources: *const CUgraphicsResource) -> Answer {
    wanted(resources)?;
    if count == 0 { Err(CUDA_ERROR_INVALID_VALUE) } else { NONE }
}

driver! {
    /// Maps resources.
    fn cuGraphicsMapResources(count: c_uint, resources: *mut CUgraphicsResource, _hStream: CUstream) {
        some(count, resources)
    }
    /// Unmaps resources.
    fn cuGraphicsUnmapResources(count: c_uint, resources: *mut CUgraphicsResource, _hStream: CUstream) {
        some(count, resources)
    }
    /// A part of a mapped resource.
    fn cuGraphicsSubResourceGetMappedArray(
        _pArray: *mut CUarray,
        _resource: CUgraphicsResource,
        _arrayIndex: c_uint,
        _mipLevel: c_uint,
    ) {
        NONE
    }
    /// A mapped resource.
    fn cuGraphicsResourceGetMappedMipmappedArray(
        _pMipmappedArray: *mut CUmipmappedArray,
        _resource: CUgraphicsResource,
    ) {
        NONE
    }
    /// A mapped resource.
    fn cuGraphicsResourceGetMappedPointer_v2(
        _pDevPtr: *mut CUdeviceptr,
        _pSize: *mut usize,
        _resource: CUgraphicsResource,
    ) {
        NONE
    }
    /// How a resource will be mapped.
    fn cuGraphicsResourceSetMapFlags_v2(_resource: CUgraphicsResource, _flags: c_uint) {
        NONE
    }
    /// Unregisters a resource.
    fn cuGraphicsUnregisterResource(_resource: CUgraphicsResource) {
        NONE
    }
}
