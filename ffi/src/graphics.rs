//! Resources of OpenGL, Direct3D, EGL and VDPAU that are registered.

use crate::types::*;
use core::ffi::c_uint;

/// Hands the functions of this group to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! graphics_functions { ($with:path) => { $with! {
    /// Maps `count` resources: the graphics interface must not use them until they are unmapped.
    3000 fn cuGraphicsMapResources(count: c_uint, resources: *mut CUgraphicsResource, hStream: CUstream) -> CUresult;
    /// Unmaps `count` resources, after what the stream holds.
    3000 fn cuGraphicsUnmapResources(count: c_uint, resources: *mut CUgraphicsResource, hStream: CUstream) -> CUresult;
    /// An element and mip level of a mapped resource, as an array.
    3000 fn cuGraphicsSubResourceGetMappedArray(pArray: *mut CUarray, resource: CUgraphicsResource, arrayIndex: c_uint, mipLevel: c_uint) -> CUresult;
    /// A mapped resource as a mipmapped array.
    5000 fn cuGraphicsResourceGetMappedMipmappedArray(pMipmappedArray: *mut CUmipmappedArray, resource: CUgraphicsResource) -> CUresult;
    /// Address and size in bytes of a mapped resource.
    3020 fn cuGraphicsResourceGetMappedPointer_v2(pDevPtr: *mut CUdeviceptr, pSize: *mut usize, resource: CUgraphicsResource) -> CUresult;
    /// Tells how a resource will be used the next times that it is mapped.
    6050 fn cuGraphicsResourceSetMapFlags_v2(resource: CUgraphicsResource, flags: c_uint) -> CUresult;
    /// Unregisters a resource.
    3000 fn cuGraphicsUnregisterResource(resource: CUgraphicsResource) -> CUresult;
} } }
graphics_functions!(declare);

// skipped cuGraphicsResourceGetMappedPointer: 32-bit addresses; superseded by cuGraphicsResourceGetMappedPointer_v2
// skipped cuGraphicsResourceSetMapFlags: superseded by cuGraphicsResourceSetMapFlags_v2
