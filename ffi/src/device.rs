//! Devices.

use crate::{CUdevice, CUresult, CUuuid};
use core::ffi::{c_char, c_int, c_uint};

enumeration! {
    /// What `cuDeviceGetAttribute` tells of a device.
    pub enum CUdevice_attribute: c_uint {
        /// Threads in a block, at most.
        CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
        /// Extent of a block in x, at most.
        CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = 2,
        /// Extent of a block in y, at most.
        CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y = 3,
        /// Extent of a block in z, at most.
        CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z = 4,
        /// Extent of a grid in x, at most.
        CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = 5,
        /// Extent of a grid in y, at most.
        CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y = 6,
        /// Extent of a grid in z, at most.
        CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z = 7,
        /// Shared memory of a block in bytes, at most, without opting in to more.
        CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
        /// Constant memory in bytes.
        CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY = 9,
        /// Threads in a warp.
        CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
        /// 32-bit registers of a block, at most.
        CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK = 12,
        /// Clock frequency in kHz.
        CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13,
        /// Number of multiprocessors.
        CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
        /// 1 if kernels are stopped after a time.
        CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT = 17,
        /// 1 if the device uses the host's memory.
        CU_DEVICE_ATTRIBUTE_INTEGRATED = 18,
        /// 1 if host memory can be mapped into the device's address space.
        CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY = 19,
        /// Who may use the device: a `CUcomputemode`.
        CU_DEVICE_ATTRIBUTE_COMPUTE_MODE = 20,
        /// 1 if kernels of one context can run at the same time.
        CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS = 31,
        /// 1 if error correction is on.
        CU_DEVICE_ATTRIBUTE_ECC_ENABLED = 32,
        /// PCI bus number.
        CU_DEVICE_ATTRIBUTE_PCI_BUS_ID = 33,
        /// PCI device number.
        CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID = 34,
        /// Memory clock frequency in kHz.
        CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE = 36,
        /// Width of the memory bus in bits.
        CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH = 37,
        /// Size of the L2 cache in bytes.
        CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38,
        /// Threads resident on a multiprocessor, at most.
        CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
        /// Number of copy engines.
        CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT = 40,
        /// 1 if host and device share one address space.
        CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING = 41,
        /// PCI domain number.
        CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID = 50,
        /// Compute capability, the number before the point.
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
        /// Compute capability, the number behind the point.
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
        /// 1 if streams have priorities.
        CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED = 78,
        /// Shared memory of a multiprocessor in bytes.
        CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81,
        /// 32-bit registers of a multiprocessor.
        CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR = 82,
        /// 1 if managed memory is available.
        CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY = 83,
        /// 1 if cooperative launches are available.
        CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH = 95,
        /// Shared memory of a block in bytes, at most, for a kernel that opted in.
        CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
        /// Blocks resident on a multiprocessor, at most.
        CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR = 106,
        /// 1 if stream-ordered allocation is available.
        CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED = 115,
    }
}

/// Hands the functions of this group to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! device_functions { ($with:path) => { $with! {
    /// The device of an ordinal, 0 to count - 1.
    fn cuDeviceGet(device: *mut CUdevice, ordinal: c_int) -> CUresult;
    /// The number of devices.
    fn cuDeviceGetCount(count: *mut c_int) -> CUresult;
    /// Writes the name, at most `len` bytes with its NUL.
    fn cuDeviceGetName(name: *mut c_char, len: c_int, dev: CUdevice) -> CUresult;
    /// The identity of a device.
    fn cuDeviceGetUuid_v2(uuid: *mut CUuuid, dev: CUdevice) -> CUresult;
    /// Memory of the device in bytes.
    fn cuDeviceTotalMem_v2(bytes: *mut usize, dev: CUdevice) -> CUresult;
    /// One attribute of a device.
    fn cuDeviceGetAttribute(pi: *mut c_int, attrib: CUdevice_attribute, dev: CUdevice) -> CUresult;
    /// Writes the PCI address as `domain:bus:device.function`, at most `len` bytes with its NUL.
    fn cuDeviceGetPCIBusId(pciBusId: *mut c_char, len: c_int, dev: CUdevice) -> CUresult;
} } }
device_functions!(declare);
