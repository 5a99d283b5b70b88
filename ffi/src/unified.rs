//! Unified addressing: what an address is.

use crate::{CUdeviceptr, CUresult};
use core::ffi::{c_uint, c_void};

enumeration! {
    /// What `cuPointerGetAttribute` tells of an address.
    pub enum CUpointer_attribute: c_uint {
        /// The context of the allocation: a `CUcontext`.
        CU_POINTER_ATTRIBUTE_CONTEXT = 1,
        /// The kind of memory: a `CUmemorytype`.
        CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
        /// The address on the device: a `CUdeviceptr`.
        CU_POINTER_ATTRIBUTE_DEVICE_POINTER = 3,
        /// The ordinal of the device: a `c_int`.
        CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9,
    }
    /// Kinds of memory.
    pub enum CUmemorytype: c_uint {
        /// Host memory.
        CU_MEMORYTYPE_HOST = 1,
        /// Device memory.
        CU_MEMORYTYPE_DEVICE = 2,
    }
}

/// Hands the functions of this group to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! unified_functions { ($with:path) => { $with! {
    /// Writes one attribute of an address to `data`, whose type depends on the attribute.
    fn cuPointerGetAttribute(data: *mut c_void, attribute: CUpointer_attribute, ptr: CUdeviceptr) -> CUresult;
} } }
unified_functions!(declare);
