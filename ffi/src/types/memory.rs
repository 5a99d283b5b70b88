//! Memory: allocating, registering, advising.

use core::ffi::{c_uint, c_ulonglong};

flags! {
    /// Who may access managed memory.
    pub struct CUmemAttach_flags: c_uint {
        /// Every stream of every device.
        const CU_MEM_ATTACH_GLOBAL = 0x1;
        /// No stream of a device.
        const CU_MEM_ATTACH_HOST = 0x2;
        /// One stream.
        const CU_MEM_ATTACH_SINGLE = 0x4;
    }
}

enumeration! {
    /// Advice on managed memory.
    pub enum CUmem_advise: c_uint {
        /// Mostly read: copies may be kept where it is read.
        CU_MEM_ADVISE_SET_READ_MOSTLY = 1,
        /// Takes [`CU_MEM_ADVISE_SET_READ_MOSTLY`] back.
        CU_MEM_ADVISE_UNSET_READ_MOSTLY = 2,
        /// Where the memory is best kept.
        CU_MEM_ADVISE_SET_PREFERRED_LOCATION = 3,
        /// Takes [`CU_MEM_ADVISE_SET_PREFERRED_LOCATION`] back.
        CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION = 4,
        /// A device accesses the memory: mappings are kept up for it.
        CU_MEM_ADVISE_SET_ACCESSED_BY = 5,
        /// Takes [`CU_MEM_ADVISE_SET_ACCESSED_BY`] back.
        CU_MEM_ADVISE_UNSET_ACCESSED_BY = 6,
    }
    /// An attribute of managed memory, for `cuMemRangeGetAttribute`.
    pub enum CUmem_range_attribute: c_uint {
        /// Whether it is advised to be mostly read.
        CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY = 1,
        /// The preferred device.
        CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION = 2,
        /// The devices that are advised to access it.
        CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY = 3,
        /// The device that it was last prefetched to.
        CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION = 4,
        /// The kind of the preferred place.
        CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE = 5,
        /// Which of its kind the preferred place is.
        CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID = 6,
        /// The kind of place that it was last prefetched to.
        CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE = 7,
        /// Which of its kind that place is.
        CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID = 8,
    }
}

/// A physical allocation.
pub type CUmemGenericAllocationHandle_v1 = c_ulonglong;

/// The current form of [`CUmemGenericAllocationHandle_v1`].
pub type CUmemGenericAllocationHandle = CUmemGenericAllocationHandle_v1;

/// Page-locked for every context, not for the current one alone.
pub const CU_MEMHOSTALLOC_PORTABLE: c_uint = 0x1;
/// Mapped for the device, which has its own address of it: `cuMemHostGetDevicePointer_v2`.
pub const CU_MEMHOSTALLOC_DEVICEMAP: c_uint = 0x2;
/// Write-combined: fast for the host to write and the device to read, slow for the host to read.
pub const CU_MEMHOSTALLOC_WRITECOMBINED: c_uint = 0x4;
/// Page-locked for every context, not for the current one alone.
pub const CU_MEMHOSTREGISTER_PORTABLE: c_uint = 0x1;
/// Mapped for the device, which has its own address of it: `cuMemHostGetDevicePointer_v2`.
pub const CU_MEMHOSTREGISTER_DEVICEMAP: c_uint = 0x2;
/// The range is memory of another device, mapped for input and output.
pub const CU_MEMHOSTREGISTER_IOMEMORY: c_uint = 0x4;
/// The device only reads the range.
pub const CU_MEMHOSTREGISTER_READ_ONLY: c_uint = 0x8;
