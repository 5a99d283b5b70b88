//! Buffers and images of OpenGL, which are known by their numbers there.

use crate::types::*;
use core::ffi::c_uint;

/// Hands the functions of this group to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! gl_functions { ($with:path) => { $with! {
    /// Registers a buffer.
    3000 fn cuGraphicsGLRegisterBuffer(pCudaResource: *mut CUgraphicsResource, buffer: c_uint, Flags: c_uint) -> CUresult;
    /// Registers a texture or a renderbuffer.
    3000 fn cuGraphicsGLRegisterImage(pCudaResource: *mut CUgraphicsResource, image: c_uint, target: c_uint, Flags: c_uint) -> CUresult;
    /// The devices of the current context of OpenGL.
    6050 fn cuGLGetDevices_v2(pCudaDeviceCount: *mut c_uint, pCudaDevices: *mut CUdevice, cudaDeviceCount: c_uint, deviceList: CUGLDeviceList) -> CUresult;
} } }
gl_functions!(declare);

// skipped cuGLInit: deprecated; does nothing
// skipped cuGLCtxCreate_v2: deprecated; any context will do
// skipped cuGLRegisterBufferObject: deprecated; use cuGraphicsGLRegisterBuffer
// skipped cuGLMapBufferObject_v2: deprecated; use cuGraphicsMapResources
// skipped cuGLUnmapBufferObject: deprecated; use cuGraphicsUnmapResources
// skipped cuGLUnregisterBufferObject: deprecated; use cuGraphicsUnregisterResource
// skipped cuGLSetBufferObjectMapFlags: deprecated; use cuGraphicsResourceSetMapFlags_v2
// skipped cuGLMapBufferObjectAsync_v2: deprecated; use cuGraphicsMapResources
// skipped cuGLUnmapBufferObjectAsync: deprecated; use cuGraphicsUnmapResources
// skipped cuWGLGetDevice: only on Windows, for graphics cards that WGL_NV_gpu_affinity names
// skipped CUGLmap_flags: deprecated; use CUgraphicsMapResourceFlags
// skipped CU_GL_MAP_RESOURCE_FLAGS_NONE: deprecated; use CU_GRAPHICS_MAP_RESOURCE_FLAGS_NONE
// skipped CU_GL_MAP_RESOURCE_FLAGS_READ_ONLY: deprecated; use CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY
// skipped CU_GL_MAP_RESOURCE_FLAGS_WRITE_DISCARD: deprecated; use CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD
