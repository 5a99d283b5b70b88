//! Devices.

use crate::types::*;
use core::ffi::{c_char, c_int, c_uint, c_void};

/// Hands the functions of this group to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! device_functions { ($with:path) => { $with! {
    /// The device of an ordinal, 0 to count - 1.
    2000 fn cuDeviceGet(device: *mut CUdevice, ordinal: c_int) -> CUresult;
    /// The number of devices.
    2000 fn cuDeviceGetCount(count: *mut c_int) -> CUresult;
    /// Writes the name, at most `len` bytes with its NUL.
    2000 fn cuDeviceGetName(name: *mut c_char, len: c_int, dev: CUdevice) -> CUresult;
    /// The identity of a device; of the slice, where the device is one of a partitioned GPU.
    11040 fn cuDeviceGetUuid_v2(uuid: *mut CUuuid, dev: CUdevice) -> CUresult;
    /// Writes the 8 bytes of the locally unique identifier that Windows gave the device, and its node mask.
    10000 fn cuDeviceGetLuid(luid: *mut c_char, deviceNodeMask: *mut c_uint, dev: CUdevice) -> CUresult;
    /// Memory of the device in bytes.
    3020 fn cuDeviceTotalMem_v2(bytes: *mut usize, dev: CUdevice) -> CUresult;
    /// The widest linear 1D texture of a format, in elements of `numChannels` channels.
    11010 fn cuDeviceGetTexture1DLinearMaxWidth(maxWidthInElements: *mut usize, format: CUarray_format, numChannels: c_uint, dev: CUdevice) -> CUresult;
    /// One attribute of a device.
    2000 fn cuDeviceGetAttribute(pi: *mut c_int, attrib: CUdevice_attribute, dev: CUdevice) -> CUresult;
    /// Fills an `NvSciSyncAttrList` with what this device can signal or wait for; `flags` says which.
    10020 fn cuDeviceGetNvSciSyncAttributes(nvSciSyncAttrList: *mut c_void, dev: CUdevice, flags: c_int) -> CUresult;
    /// Whether contexts of the device can have this kind of execution affinity: writes 1 or 0.
    11040 fn cuDeviceGetExecAffinitySupport(pi: *mut c_int, type_: CUexecAffinityType, dev: CUdevice) -> CUresult;
    /// Waits until remote writes to the memory of the current context's device are visible to `scope`.
    11030 fn cuFlushGPUDirectRDMAWrites(target: CUflushGPUDirectRDMAWritesTarget, scope: CUflushGPUDirectRDMAWritesScope) -> CUresult;
    /// The device at a PCI address, written `domain:bus:device.function`.
    4010 fn cuDeviceGetByPCIBusId(dev: *mut CUdevice, pciBusId: *const c_char) -> CUresult;
    /// Writes the PCI address as `domain:bus:device.function`, at most `len` bytes with its NUL.
    4010 fn cuDeviceGetPCIBusId(pciBusId: *mut c_char, len: c_int, dev: CUdevice) -> CUresult;
} } }
device_functions!(declare);

/// Hands the functions of this group that CUDA 12.0 does not have to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! device_newer_functions { ($with:path) => { $with! {
    /// For each of `count` operations, which atomic forms the device can do on host memory: bits of `CUatomicOperationCapability`.
    13000 fn cuDeviceGetHostAtomicCapabilities(capabilities: *mut c_uint, operations: *const CUatomicOperation, count: c_uint, dev: CUdevice) -> CUresult;
    /// Has a function called when something happens to the device, such as memory running over budget.
    12040 fn cuDeviceRegisterAsyncNotification(device: CUdevice, callbackFunc: CUasyncCallback, userData: *mut c_void, callback: *mut CUasyncCallbackHandle) -> CUresult;
    /// Ends the calls that `cuDeviceRegisterAsyncNotification` asked for.
    12040 fn cuDeviceUnregisterAsyncNotification(device: CUdevice, callback: CUasyncCallbackHandle) -> CUresult;
} } }
device_newer_functions!(lookup);

// skipped cuDeviceGetUuid: superseded by cuDeviceGetUuid_v2
// skipped cuDeviceTotalMem: 32-bit sizes; superseded by cuDeviceTotalMem_v2
// skipped cuDeviceGetProperties: deprecated since CUDA 5.0; use cuDeviceGetAttribute
// skipped cuDeviceComputeCapability: deprecated since CUDA 5.0; use cuDeviceGetAttribute
