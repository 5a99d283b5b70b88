//! Virtual memory: physical allocations, mappings, multicast objects.

use crate::{
    CUarray, CUmemGenericAllocationHandle, CUmemHandleType, CUmipmappedArray, CUresourcetype,
    cuuint32_t,
};
use core::ffi::{c_int, c_uchar, c_uint, c_ulonglong, c_ushort, c_void};

enumeration! {
    /// Kinds of handles that allocations are exported as.
    pub enum CUmemAllocationHandleType: c_uint {
        /// None.
        CU_MEM_HANDLE_TYPE_NONE = 0x0,
        /// A file descriptor.
        CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR = 0x1,
        /// A handle of Windows.
        CU_MEM_HANDLE_TYPE_WIN32 = 0x2,
        /// A handle of Windows that all processes share.
        CU_MEM_HANDLE_TYPE_WIN32_KMT = 0x4,
        /// A handle for the fabric: a `CUmemFabricHandle`.
        CU_MEM_HANDLE_TYPE_FABRIC = 0x8,
        /// The greatest value that the type is made for; not a member of it.
        CU_MEM_HANDLE_TYPE_MAX = 0x7FFFFFFF,
    }
    /// An access to mapped memory.
    pub enum CUmemAccess_flags: c_uint {
        /// None.
        CU_MEM_ACCESS_FLAGS_PROT_NONE = 0x0,
        /// Reading.
        CU_MEM_ACCESS_FLAGS_PROT_READ = 0x1,
        /// Reading and writing.
        CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 0x3,
        /// The greatest value that the type is made for; not a member of it.
        CU_MEM_ACCESS_FLAGS_PROT_MAX = 0x7FFFFFFF,
    }
    /// Kinds of places for memory.
    pub enum CUmemLocationType: c_uint {
        /// No valid value.
        CU_MEM_LOCATION_TYPE_INVALID = 0x0,
        /// Nowhere in particular.
        CU_MEM_LOCATION_TYPE_NONE = 0x0,
        /// A device, by its ordinal.
        CU_MEM_LOCATION_TYPE_DEVICE = 0x1,
        /// The host.
        CU_MEM_LOCATION_TYPE_HOST = 0x2,
        /// A NUMA node of the host.
        CU_MEM_LOCATION_TYPE_HOST_NUMA = 0x3,
        /// The NUMA node of the calling thread.
        CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT = 0x4,
        /// A place that cannot be seen, though a device can access it.
        CU_MEM_LOCATION_TYPE_INVISIBLE = 0x5,
        /// A locality domain of a device.
        CU_MEM_LOCATION_TYPE_DEVICE_LOCALITY_DOMAIN = 0x6,
        /// The greatest value that the type is made for; not a member of it.
        CU_MEM_LOCATION_TYPE_MAX = 0x7FFFFFFF,
    }
    /// Kinds of allocations.
    pub enum CUmemAllocationType: c_uint {
        /// No valid value.
        CU_MEM_ALLOCATION_TYPE_INVALID = 0x0,
        /// Stays where it is.
        CU_MEM_ALLOCATION_TYPE_PINNED = 0x1,
        /// Moves where it is needed.
        CU_MEM_ALLOCATION_TYPE_MANAGED = 0x2,
        /// The greatest value that the type is made for; not a member of it.
        CU_MEM_ALLOCATION_TYPE_MAX = 0x7FFFFFFF,
    }
    /// Which granularity is asked for.
    pub enum CUmemAllocationGranularity_flags: c_uint {
        /// The least that is possible.
        CU_MEM_ALLOC_GRANULARITY_MINIMUM = 0x0,
        /// That which is best.
        CU_MEM_ALLOC_GRANULARITY_RECOMMENDED = 0x1,
    }
    /// Kinds of handles to a range of memory.
    pub enum CUmemRangeHandleType: c_uint {
        /// The file descriptor of a DMA-BUF.
        CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD = 0x1,
        /// The greatest value that the type is made for; not a member of it.
        CU_MEM_RANGE_HANDLE_TYPE_MAX = 0x7FFFFFFF,
    }
    /// How the handle to a range is made.
    pub enum CUmemRangeFlags: c_uint {
        /// A DMA-BUF that is mapped over PCIe.
        CU_MEM_RANGE_FLAG_DMA_BUF_MAPPING_TYPE_PCIE = 0x1,
    }
    /// Parts of a sparse array.
    pub enum CUarraySparseSubresourceType: c_uint {
        /// A mip level.
        CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_SPARSE_LEVEL = 0,
        /// The tail.
        CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_MIPTAIL = 1,
    }
    /// An operation on a part of a sparse array.
    pub enum CUmemOperationType: c_uint {
        /// Map memory.
        CU_MEM_OPERATION_TYPE_MAP = 1,
        /// Unmap it.
        CU_MEM_OPERATION_TYPE_UNMAP = 2,
    }
}

/// Memory to be mapped to a part of a sparse array, or unmapped.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUarrayMapInfo_v1 {
    /// The kind of the array.
    pub resourceType: CUresourcetype,
    /// The array.
    pub resource: CUarrayMapInfo_v1_resource,
    /// Which kind of part.
    pub subresourceType: CUarraySparseSubresourceType,
    /// The part.
    pub subresource: CUarrayMapInfo_v1_subresource,
    /// To map or to unmap.
    pub memOperationType: CUmemOperationType,
    /// The kind of the memory's handle.
    pub memHandleType: CUmemHandleType,
    /// The memory.
    pub memHandle: CUarrayMapInfo_v1_memHandle,
    /// Bytes from the start.
    pub offset: c_ulonglong,
    /// The devices, a bit each.
    pub deviceBitMask: c_uint,
    /// Zero.
    pub flags: c_uint,
    /// Reserved; zero.
    pub reserved: [c_uint; 2],
}

/// The field `resource` of [`CUarrayMapInfo_v1`].
#[repr(C)]
#[derive(Clone, Copy)]
pub union CUarrayMapInfo_v1_resource {
    /// The mipmapped array.
    pub mipmap: CUmipmappedArray,
    /// The array.
    pub array: CUarray,
}

/// The field `subresource` of [`CUarrayMapInfo_v1`].
#[repr(C)]
#[derive(Clone, Copy)]
pub union CUarrayMapInfo_v1_subresource {
    /// A part of a mip level.
    pub sparseLevel: CUarrayMapInfo_v1_subresource_sparseLevel,
    /// A part of the tail.
    pub miptail: CUarrayMapInfo_v1_subresource_miptail,
}

/// The field `sparseLevel` of [`CUarrayMapInfo_v1_subresource`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUarrayMapInfo_v1_subresource_sparseLevel {
    /// The mip level.
    pub level: c_uint,
    /// The layer.
    pub layer: c_uint,
    /// First element in x.
    pub offsetX: c_uint,
    /// First element in y.
    pub offsetY: c_uint,
    /// First element in z.
    pub offsetZ: c_uint,
    /// Elements in x.
    pub extentWidth: c_uint,
    /// Elements in y.
    pub extentHeight: c_uint,
    /// Elements in z.
    pub extentDepth: c_uint,
}

/// The field `miptail` of [`CUarrayMapInfo_v1_subresource`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUarrayMapInfo_v1_subresource_miptail {
    /// The layer.
    pub layer: c_uint,
    /// Bytes from the start.
    pub offset: c_ulonglong,
    /// Bytes.
    pub size: c_ulonglong,
}

/// The field `memHandle` of [`CUarrayMapInfo_v1`].
#[repr(C)]
#[derive(Clone, Copy)]
pub union CUarrayMapInfo_v1_memHandle {
    /// The memory.
    pub memHandle: CUmemGenericAllocationHandle,
}

/// Memory to be mapped to a part of a sparse array, or unmapped.
pub type CUarrayMapInfo = CUarrayMapInfo_v1;

/// Where memory is.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUmemLocation_v1 {
    /// The kind of place.
    pub r#type: CUmemLocationType,
    /// The union that has no name in C.
    pub anonymous: CUmemLocation_v1_anonymous,
}

/// The union without a name in [`CUmemLocation_v1`].
#[repr(C)]
#[derive(Clone, Copy)]
pub union CUmemLocation_v1_anonymous {
    /// Which one.
    pub id: c_int,
    /// A locality domain of a device.
    pub localized: CUmemLocation_v1_anonymous_localized,
}

/// The field `localized` of [`CUmemLocation_v1_anonymous`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUmemLocation_v1_anonymous_localized {
    /// The ordinal of the device.
    pub deviceId: c_uchar,
    /// Which locality domain.
    pub localityDomainId: c_uchar,
}

/// Where memory is.
pub type CUmemLocation = CUmemLocation_v1;

enumeration! {
    /// Whether an allocation is compressed.
    pub enum CUmemAllocationCompType: c_uint {
        /// It is not.
        CU_MEM_ALLOCATION_COMP_NONE = 0x0,
        /// It can be.
        CU_MEM_ALLOCATION_COMP_GENERIC = 0x1,
    }
}

/// The properties of a physical allocation.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUmemAllocationProp_v1 {
    /// The kind of allocation.
    pub r#type: CUmemAllocationType,
    /// The kinds of handle that can be exported.
    pub requestedHandleTypes: CUmemAllocationHandleType,
    /// Where it is.
    pub location: CUmemLocation,
    /// For Windows: the security attributes of exported handles.
    pub win32HandleMetaData: *mut c_void,
    /// More properties.
    pub allocFlags: CUmemAllocationProp_v1_allocFlags,
}

/// The field `allocFlags` of [`CUmemAllocationProp_v1`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUmemAllocationProp_v1_allocFlags {
    /// A [`CUmemAllocationCompType`].
    pub compressionType: c_uchar,
    /// Not zero: other devices may access the memory directly.
    pub gpuDirectRDMACapable: c_uchar,
    /// Flags of what the memory is for.
    pub usage: c_ushort,
    /// Reserved; zero.
    pub reserved: [c_uchar; 4],
}

/// The properties of a physical allocation.
pub type CUmemAllocationProp = CUmemAllocationProp_v1;

enumeration! {
    /// Which granularity is asked for.
    pub enum CUmulticastGranularity_flags: c_uint {
        /// The least that is possible.
        CU_MULTICAST_GRANULARITY_MINIMUM = 0x0,
        /// That which is best.
        CU_MULTICAST_GRANULARITY_RECOMMENDED = 0x1,
    }
}

/// The properties of a multicast object.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUmulticastObjectProp_v1 {
    /// How many devices.
    pub numDevices: c_uint,
    /// Bytes of each device.
    pub size: usize,
    /// The kinds of handle that can be exported.
    pub handleTypes: c_ulonglong,
    /// Zero.
    pub flags: c_ulonglong,
}

/// The properties of a multicast object.
pub type CUmulticastObjectProp = CUmulticastObjectProp_v1;

/// Who may access memory, and how.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUmemAccessDesc_v1 {
    /// Who.
    pub location: CUmemLocation,
    /// The access.
    pub flags: CUmemAccess_flags,
}

/// Who may access memory, and how.
pub type CUmemAccessDesc = CUmemAccessDesc_v1;

enumeration! {
    /// How data are compressed.
    pub enum CUmemDecompressAlgorithm: c_uint {
        /// No way that is known.
        CU_MEM_DECOMPRESS_UNSUPPORTED = 0,
        /// Deflate.
        CU_MEM_DECOMPRESS_ALGORITHM_DEFLATE = 1,
        /// Snappy.
        CU_MEM_DECOMPRESS_ALGORITHM_SNAPPY = 2,
        /// LZ4.
        CU_MEM_DECOMPRESS_ALGORITHM_LZ4 = 4,
    }
}

/// One piece of data to be decompressed.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUmemDecompressParams {
    /// Bytes of the compressed data.
    pub srcNumBytes: usize,
    /// Bytes that there is room for.
    pub dstNumBytes: usize,
    /// Out: bytes that were written.
    pub dstActBytes: *mut cuuint32_t,
    /// The compressed data.
    pub src: *const c_void,
    /// Where to write.
    pub dst: *mut c_void,
    /// How the data are compressed.
    pub algo: CUmemDecompressAlgorithm,
    /// Reserved; zero.
    pub padding: [c_uchar; 20],
}

/// The memory is for the tiles of sparse arrays.
pub const CU_MEM_CREATE_USAGE_TILE_POOL: c_uint = 0x1;
/// The decompression engine may use the memory.
pub const CU_MEM_CREATE_USAGE_HW_DECOMPRESS: c_uint = 0x2;
/// Other devices may access the memory directly over PCIe.
pub const CU_MEM_CREATE_USAGE_GPU_DIRECT_RDMA_OVER_PCIE: c_uint = 0x4;
