//! Checkpoint and restore of a process.

use crate::{CUcheckpointOperationHandle, CUdeviceptr, CUstream, CUuuid, cuuint64_t};
use core::ffi::{c_char, c_uint};

enumeration! {
    /// How far a process is with its checkpoint.
    pub enum CUprocessState: c_uint {
        /// It runs.
        CU_PROCESS_STATE_RUNNING = 0,
        /// Its calls wait.
        CU_PROCESS_STATE_LOCKED = 1,
        /// Its memory is stored and the devices are given back.
        CU_PROCESS_STATE_CHECKPOINTED = 2,
        /// Something failed.
        CU_PROCESS_STATE_FAILED = 3,
        /// A checkpoint is being made.
        CU_PROCESS_STATE_CHECKPOINTING = 4,
        /// It is being restored.
        CU_PROCESS_STATE_RESTORING = 5,
    }
}

/// Where the memory of one device is to be stored.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUcheckpointCustomStoragePerDeviceData {
    /// The memory.
    pub devPtr: CUdeviceptr,
    /// Bytes.
    pub size: usize,
    /// The stream.
    pub stream: CUstream,
}

/// Where the memory of the devices is to be stored.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUcheckpointCustomStorageInfo {
    /// The operation.
    pub handle: CUcheckpointOperationHandle,
    /// Each device.
    pub perDeviceData: *mut CUcheckpointCustomStoragePerDeviceData,
    /// How many devices.
    pub deviceCount: c_uint,
}

/// How a process is locked.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUcheckpointLockArgs {
    /// Milliseconds to wait at most.
    pub timeoutMs: c_uint,
    /// Reserved; zero.
    pub reserved0: c_uint,
    /// Reserved; zero.
    pub reserved1: [cuuint64_t; 7],
}

/// How a checkpoint is made.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUcheckpointCheckpointArgs {
    /// Out: where the program is to store the memory of the devices; null for the driver's own
    /// storage.
    pub customStorageInfo_out: *mut *mut CUcheckpointCustomStorageInfo,
    /// Reserved; zero.
    pub reserved: [c_char; 56],
}

/// A device, and the one that takes its place.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUcheckpointGpuPair {
    /// The device at the checkpoint.
    pub oldUuid: CUuuid,
    /// The device that takes its place.
    pub newUuid: CUuuid,
}

/// How a process is restored.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUcheckpointRestoreArgs {
    /// The devices to be exchanged; null for none.
    pub gpuPairs: *mut CUcheckpointGpuPair,
    /// How many pairs.
    pub gpuPairsCount: c_uint,
    /// Reserved; zero.
    pub padding0: c_uint,
    /// Out: where the program is to store the memory of the devices; null for the driver's own
    /// storage.
    pub customStorageInfo_out: *mut *mut CUcheckpointCustomStorageInfo,
    /// Reserved; zero.
    pub reserved: [c_char; 40],
}

/// How a process is unlocked.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUcheckpointUnlockArgs {
    /// Reserved; zero.
    pub reserved: [cuuint64_t; 8],
}
