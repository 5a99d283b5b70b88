//! Devices and what is told of them.
#![allow(unsafe_code, reason = "exported functions")]

use crate::attributes::{DOMAINS, MAX_WINDOW};
use crate::context::Context;
use crate::driver::driver as state;
use crate::entry::{self, Answer, driver};
use crate::limits::MAX_PERSISTING;
use core::ffi::{c_char, c_int};
use cuscope_sys::*;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex};

/// Memory of a device in bytes.
pub(crate) const TOTAL_MEMORY: usize = 16 << 30;
/// Threads of a block.
pub(crate) const MAX_THREADS: u32 = 1024;
/// Extents of a block.
pub(crate) const MAX_BLOCK: [u32; 3] = [1024, 1024, 64];
/// Extents of a grid.
pub(crate) const MAX_GRID: [u32; 3] = [2_147_483_647, 65_535, 65_535];
/// Shared memory of a block without opting in.
pub(crate) const MAX_SHARED: usize = 49_152;

/// Bytes of `0000:00:00.0` with its NUL.
const PCI_ADDRESS: c_int = 13;
/// Multiprocessors.
pub(crate) const MULTIPROCESSORS: u32 = 132;
/// Constant memory.
pub(crate) const MAX_CONSTANT: usize = 65_536;

/// A device.
pub(crate) struct Device {
    /// Its number.
    pub(crate) ordinal: usize,
    /// Its primary context, and how often that is retained (F18).
    pub(crate) primary: Mutex<Primary>,
    /// The handle of the pool that was set last; 0 if none was (F170).
    pub(crate) pool: AtomicUsize,
}

/// The primary context of a device.
pub(crate) struct Primary {
    /// Made by the first retain; the handle stays the same from then on.
    pub(crate) context: Option<Arc<Context>>,
    /// Retains minus releases; a green context retains too (F135).
    pub(crate) count: usize,
    /// Green contexts that are alive.
    pub(crate) green_contexts: usize,
    /// The flags that it has or will have.
    pub(crate) flags: u32,
}

impl Device {
    pub(crate) fn new(ordinal: usize) -> Self {
        let primary = Primary { context: None, count: 0, green_contexts: 0, flags: 0 };
        Self { ordinal, primary: Mutex::new(primary), pool: AtomicUsize::new(0) }
    }
}

/// The device of an ordinal (F21).
pub(crate) fn device(ordinal: CUdevice) -> Answer<&'static Device> {
    let index = usize::try_from(ordinal).map_err(|_| CUDA_ERROR_INVALID_DEVICE)?;
    state().devices.get(index).ok_or(CUDA_ERROR_INVALID_DEVICE)
}

/// One attribute of a device.
fn attribute(device: &Device, attribute: CUdevice_attribute) -> Answer<c_int> {
    Ok(match attribute {
        CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK => MAX_THREADS as c_int,
        CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X => MAX_BLOCK[0] as c_int,
        CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y => MAX_BLOCK[1] as c_int,
        CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z => MAX_BLOCK[2] as c_int,
        CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X => MAX_GRID[0] as c_int,
        CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y => MAX_GRID[1] as c_int,
        CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z => MAX_GRID[2] as c_int,
        CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK => MAX_SHARED as c_int,
        CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY => MAX_CONSTANT as c_int,
        CU_DEVICE_ATTRIBUTE_WARP_SIZE => 32,
        CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK => 65_536,
        CU_DEVICE_ATTRIBUTE_CLOCK_RATE => 1_980_000,
        CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT => MULTIPROCESSORS as c_int,
        CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT => 0,
        CU_DEVICE_ATTRIBUTE_INTEGRATED => 0,
        CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY => 1,
        CU_DEVICE_ATTRIBUTE_COMPUTE_MODE => 0,
        CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS => 1,
        CU_DEVICE_ATTRIBUTE_ECC_ENABLED => 1,
        CU_DEVICE_ATTRIBUTE_PCI_BUS_ID => device.ordinal as c_int,
        CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID => 0,
        CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE => 3_201_000,
        CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH => 6_144,
        CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE => 60 << 20,
        CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR => 2_048,
        CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT => 3,
        CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING => 1,
        CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID => 0,
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR => 9,
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR => 0,
        CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED => 1,
        CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR => 233_472,
        CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR => 65_536,
        CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY => 1,
        CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH => 1,
        CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN => 232_448,
        CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE => MAX_PERSISTING as c_int,
        CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE => MAX_WINDOW as c_int,
        CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT => DOMAINS.into(),
        CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR => 32,
        CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM => 1,
        CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED => 1,
        CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED => 1,
        CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED => 1,
        _ => return Err(CUDA_ERROR_INVALID_VALUE),
    })
}

driver! {
    /// The device of an ordinal.
    fn cuDeviceGet(device: *mut CUdevice, ordinal: c_int) {
        entry::wanted(device)?;
        self::device(ordinal)?;
        entry::write(device, ordinal)
    }
    /// The number of devices.
    fn cuDeviceGetCount(count: *mut c_int) {
        entry::write(count, state().devices.len() as c_int)
    }
    /// The name, the same for every device.
    fn cuDeviceGetName(name: *mut c_char, len: c_int, dev: CUdevice) {
        device(dev)?;
        entry::write_text(name, len, "cuscope software device")
    }
    /// The identity: a fixed prefix and the ordinal.
    fn cuDeviceGetUuid_v2(uuid: *mut CUuuid, dev: CUdevice) {
        let device = device(dev)?;
        let mut bytes = b"cuscope-soft\0\0\0\0".map(|byte| byte as c_char);
        bytes[15] = device.ordinal as c_char;
        entry::write(uuid, CUuuid { bytes })
    }
    /// Memory of the device.
    fn cuDeviceTotalMem_v2(bytes: *mut usize, dev: CUdevice) {
        device(dev)?;
        entry::write(bytes, TOTAL_MEMORY)
    }
    /// One attribute.
    fn cuDeviceGetAttribute(pi: *mut c_int, attrib: CUdevice_attribute, dev: CUdevice) {
        entry::wanted(pi)?;
        entry::write(pi, attribute(device(dev)?, attrib)?)
    }
    /// The PCI address; INVALID_VALUE if it does not fit.
    fn cuDeviceGetPCIBusId(pciBusId: *mut c_char, len: c_int, dev: CUdevice) {
        let device = device(dev)?;
        if len < PCI_ADDRESS {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        entry::write_text(pciBusId, len, &format!("0000:{:02X}:00.0", device.ordinal))
    }
}
