//! Properties and attributes of devices.

use crate::CUdevice;
use core::ffi::{c_int, c_uint};

/// The properties of a device, in the form of the first versions.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUdevprop_v1 {
    /// Threads of a block, at most.
    pub maxThreadsPerBlock: c_int,
    /// Threads of a block in each dimension, at most.
    pub maxThreadsDim: [c_int; 3],
    /// Blocks of a grid in each dimension, at most.
    pub maxGridSize: [c_int; 3],
    /// Shared memory of a block, in bytes.
    pub sharedMemPerBlock: c_int,
    /// Constant memory, in bytes.
    pub totalConstantMemory: c_int,
    /// Threads in a warp.
    pub SIMDWidth: c_int,
    /// Greatest pitch of a copy, in bytes.
    pub memPitch: c_int,
    /// Registers of a block, at most.
    pub regsPerBlock: c_int,
    /// Clock rate in kHz.
    pub clockRate: c_int,
    /// Alignment that textures need, in bytes.
    pub textureAlign: c_int,
}

/// The properties of a device, in the form of the first versions.
pub type CUdevprop = CUdevprop_v1;

enumeration! {
    /// Who may use a device.
    pub enum CUcomputemode: c_uint {
        /// Any number of processes.
        CU_COMPUTEMODE_DEFAULT = 0,
        /// Nobody.
        CU_COMPUTEMODE_PROHIBITED = 2,
        /// One process at a time.
        CU_COMPUTEMODE_EXCLUSIVE_PROCESS = 3,
    }
    /// An attribute of two devices, for `cuDeviceGetP2PAttribute`.
    pub enum CUdevice_P2PAttribute: c_uint {
        /// How the link ranks among those between devices.
        CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK = 0x01,
        /// Whether one can access the other.
        CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED = 0x02,
        /// Whether atomic operations work over the link.
        CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED = 0x03,
        /// The earlier name of [`CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED`].
        CU_DEVICE_P2P_ATTRIBUTE_ACCESS_ACCESS_SUPPORTED = 0x04,
        /// Whether one can access arrays of the other.
        CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED = 0x04,
        /// Whether only some atomic operations work over the link.
        CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED = 0x05,
    }
    /// How writes of other devices can be flushed.
    pub enum CUflushGPUDirectRDMAWritesOptions: c_uint {
        /// By `cuFlushGPUDirectRDMAWrites`.
        CU_FLUSH_GPU_DIRECT_RDMA_WRITES_OPTION_HOST = 1,
        /// By a stream.
        CU_FLUSH_GPU_DIRECT_RDMA_WRITES_OPTION_MEMOPS = 2,
    }
    /// Who sees writes of other devices in order, without a flush.
    pub enum CUGPUDirectRDMAWritesOrdering: c_uint {
        /// Nobody.
        CU_GPU_DIRECT_RDMA_WRITES_ORDERING_NONE = 0,
        /// The device that owns the memory.
        CU_GPU_DIRECT_RDMA_WRITES_ORDERING_OWNER = 100,
        /// Every device.
        CU_GPU_DIRECT_RDMA_WRITES_ORDERING_ALL_DEVICES = 200,
    }
    /// Who shall see the writes that are flushed.
    pub enum CUflushGPUDirectRDMAWritesScope: c_uint {
        /// The device that owns the memory.
        CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER = 100,
        /// Every device.
        CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_ALL_DEVICES = 200,
    }
    /// Whose writes are flushed.
    pub enum CUflushGPUDirectRDMAWritesTarget: c_uint {
        /// Those to the device of the current context.
        CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX = 0,
    }
    /// How the memory of a device is a NUMA node.
    pub enum CUdeviceNumaConfig: c_uint {
        /// It is not.
        CU_DEVICE_NUMA_CONFIG_NONE = 0,
        /// It is one.
        CU_DEVICE_NUMA_CONFIG_NUMA_NODE = 1,
    }
}

/// The host, where a device is asked for.
pub const CU_DEVICE_CPU: CUdevice = -1;
/// No device.
pub const CU_DEVICE_INVALID: CUdevice = -2;
