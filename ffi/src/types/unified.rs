//! Attributes of addresses and ranges of memory.

use core::ffi::{c_uint, c_ulonglong};

enumeration! {
    /// An attribute of an address, for `cuPointerGetAttribute`.
    pub enum CUpointer_attribute: c_uint {
        /// The context of the allocation: a `CUcontext`.
        CU_POINTER_ATTRIBUTE_CONTEXT = 1,
        /// The kind of memory: a `CUmemorytype`.
        CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
        /// The address on the device: a `CUdeviceptr`.
        CU_POINTER_ATTRIBUTE_DEVICE_POINTER = 3,
        /// The address on the host: a `*mut c_void`.
        CU_POINTER_ATTRIBUTE_HOST_POINTER = 4,
        /// Tokens for another driver: a `CUDA_POINTER_ATTRIBUTE_P2P_TOKENS`.
        CU_POINTER_ATTRIBUTE_P2P_TOKENS = 5,
        /// Whether synchronous operations on it always synchronise; can be set.
        CU_POINTER_ATTRIBUTE_SYNC_MEMOPS = 6,
        /// A number that no other allocation of the process has: a `c_ulonglong`.
        CU_POINTER_ATTRIBUTE_BUFFER_ID = 7,
        /// Whether it is managed memory.
        CU_POINTER_ATTRIBUTE_IS_MANAGED = 8,
        /// The ordinal of the device: a `c_int`.
        CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9,
        /// Whether `cuIpcGetMemHandle` works on it.
        CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE = 10,
        /// Where the allocation starts: a `*mut c_void`.
        CU_POINTER_ATTRIBUTE_RANGE_START_ADDR = 11,
        /// Bytes of the allocation: a `usize`.
        CU_POINTER_ATTRIBUTE_RANGE_SIZE = 12,
        /// Whether it is in a range that is mapped.
        CU_POINTER_ATTRIBUTE_MAPPED = 13,
        /// The handles that it can be exported as: bits of `CUmemAllocationHandleType`.
        CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES = 14,
        /// Whether other devices may access it directly.
        CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE = 15,
        /// The access that the current context's device has: `CUDA_POINTER_ATTRIBUTE_ACCESS_FLAGS`.
        CU_POINTER_ATTRIBUTE_ACCESS_FLAGS = 16,
        /// The pool that it is from: a `CUmemoryPool`, or null.
        CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE = 17,
        /// Bytes of the mapping: a `usize`.
        CU_POINTER_ATTRIBUTE_MAPPING_SIZE = 18,
        /// Where the mapping starts.
        CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR = 19,
        /// A number of the physical memory that no other has.
        CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID = 20,
        /// Whether the decompression engine can use it.
        CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE = 21,
        /// The locality domain that it is in.
        CU_POINTER_ATTRIBUTE_LOCALITY_DOMAIN_ORDINAL = 22,
    }
    /// Kinds of memory.
    pub enum CUmemorytype: c_uint {
        /// Host memory.
        CU_MEMORYTYPE_HOST = 0x01,
        /// Device memory.
        CU_MEMORYTYPE_DEVICE = 0x02,
        /// An array.
        CU_MEMORYTYPE_ARRAY = 0x03,
        /// An address that the driver knows the kind of.
        CU_MEMORYTYPE_UNIFIED = 0x04,
    }
}

/// Tokens of an allocation for a driver of another device.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_POINTER_ATTRIBUTE_P2P_TOKENS_v1 {
    /// The token of the memory.
    pub p2pToken: c_ulonglong,
    /// The token of the address space.
    pub vaSpaceToken: c_uint,
}

/// Tokens of an allocation for a driver of another device.
pub type CUDA_POINTER_ATTRIBUTE_P2P_TOKENS = CUDA_POINTER_ATTRIBUTE_P2P_TOKENS_v1;

enumeration! {
    /// The access that a device has to memory.
    pub enum CUDA_POINTER_ATTRIBUTE_ACCESS_FLAGS: c_uint {
        /// None.
        CU_POINTER_ATTRIBUTE_ACCESS_FLAG_NONE = 0x0,
        /// It can read.
        CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READ = 0x1,
        /// It can read and write.
        CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE = 0x3,
    }
}
