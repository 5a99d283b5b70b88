//! Stream-ordered memory and its pools.

use crate::{CUmemAllocationHandleType, CUmemAllocationType, CUmemLocation};
use core::ffi::{c_uchar, c_uint, c_ushort, c_void};

enumeration! {
    /// Kinds of handles to memory for sparse arrays.
    pub enum CUmemHandleType: c_uint {
        /// A `CUmemGenericAllocationHandle`.
        CU_MEM_HANDLE_TYPE_GENERIC = 0,
    }
    /// Attributes of a pool.
    pub enum CUmemPool_attribute: c_uint {
        /// Memory is used again that was freed in another stream which an event orders before. An
        /// `int`.
        CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES = 1,
        /// Memory is used again whose free is known to be finished. An `int`.
        CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC = 2,
        /// The driver may add dependencies to use memory again. An `int`.
        CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES = 3,
        /// Bytes that are kept for later: a `cuuint64_t`.
        CU_MEMPOOL_ATTR_RELEASE_THRESHOLD = 4,
        /// Bytes held now: a `cuuint64_t`.
        CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT = 5,
        /// Most bytes held since the last reset: a `cuuint64_t`.
        CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH = 6,
        /// Bytes in use now: a `cuuint64_t`.
        CU_MEMPOOL_ATTR_USED_MEM_CURRENT = 7,
        /// Most bytes in use since the last reset: a `cuuint64_t`.
        CU_MEMPOOL_ATTR_USED_MEM_HIGH = 8,
        /// The [`CUmemAllocationType`].
        CU_MEMPOOL_ATTR_ALLOCATION_TYPE = 9,
        /// The kinds of handle that can be exported.
        CU_MEMPOOL_ATTR_EXPORT_HANDLE_TYPES = 10,
        /// Which of its kind the place is.
        CU_MEMPOOL_ATTR_LOCATION_ID = 11,
        /// The kind of place.
        CU_MEMPOOL_ATTR_LOCATION_TYPE = 12,
        /// Bytes of the pool at most.
        CU_MEMPOOL_ATTR_MAX_POOL_SIZE = 13,
        /// Whether the decompression engine can use the memory.
        CU_MEMPOOL_ATTR_HW_DECOMPRESS_ENABLED = 14,
        /// The locality domain.
        CU_MEMPOOL_ATTR_LOCALITY_DOMAIN_ID = 15,
    }
}

/// The properties of a pool.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUmemPoolProps_v1 {
    /// The kind of allocation.
    pub allocType: CUmemAllocationType,
    /// The kinds of handle that can be exported.
    pub handleTypes: CUmemAllocationHandleType,
    /// Where it is.
    pub location: CUmemLocation,
    /// For Windows: the security attributes of exported handles.
    pub win32SecurityAttributes: *mut c_void,
    /// Bytes of the pool at most; zero for the driver's choice.
    pub maxSize: usize,
    /// Flags of what the memory is for.
    pub usage: c_ushort,
    /// Not zero: other devices may access the memory directly.
    pub gpuDirectRDMACapable: c_uchar,
    /// Reserved; zero.
    pub reserved: [c_uchar; 53],
}

/// The properties of a pool.
pub type CUmemPoolProps = CUmemPoolProps_v1;

/// An allocation of a pool, for another process.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUmemPoolPtrExportData_v1 {
    /// Reserved; zero.
    pub reserved: [c_uchar; 64],
}

/// An allocation of a pool, for another process.
pub type CUmemPoolPtrExportData = CUmemPoolPtrExportData_v1;

/// The decompression engine may use the memory of the pool.
pub const CU_MEM_POOL_CREATE_USAGE_HW_DECOMPRESS: c_uint = 0x2;
