//! Functions and launches.

use crate::{CUevent, CUfunction, CUgraphDeviceNode, CUstream};
use core::ffi::{c_char, c_float, c_int, c_uchar, c_uint, c_void};
use core::ptr;

enumeration! {
    /// How a function of the host waits for the work before it.
    pub enum CUhostTaskSyncMode: c_uint {
        /// Blocks.
        CU_HOST_TASK_BLOCKING = 0x0,
        /// Spins.
        CU_HOST_TASK_SPINWAIT = 0x1,
    }
}

flags! {
    /// The flags of the occupancy functions.
    pub struct CUoccupancy_flags: c_uint {
        /// None.
        const CU_OCCUPANCY_DEFAULT = 0x0;
        /// Assume that global memory is cached even if that costs all occupancy.
        const CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE = 0x1;
    }
}

enumeration! {
    /// An attribute of a kernel, for `cuFuncGetAttribute`.
    pub enum CUfunction_attribute: c_uint {
        /// Threads in a block, at most, for this kernel on its device.
        CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
        /// Statically declared shared memory of a block, in bytes.
        CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
        /// Constant memory of the user, in bytes.
        CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES = 2,
        /// Local memory of a thread, in bytes.
        CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
        /// Registers of a thread.
        CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
        /// The architecture that the PTX was written for: 10 x major + minor.
        CU_FUNC_ATTRIBUTE_PTX_VERSION = 5,
        /// The architecture of the machine code: 10 x major + minor.
        CU_FUNC_ATTRIBUTE_BINARY_VERSION = 6,
        /// Whether the code was compiled to cache in L1.
        CU_FUNC_ATTRIBUTE_CACHE_MODE_CA = 7,
        /// Dynamic shared memory that a launch may ask for, in bytes.
        CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
        /// The preferred share of shared memory, in percent, or -1.
        CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9,
        /// Whether a launch must give the size of a cluster.
        CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET = 10,
        /// Blocks of a cluster in x that are required; zero for any.
        CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH = 11,
        /// Blocks of a cluster in y that are required; zero for any.
        CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT = 12,
        /// Blocks of a cluster in z that are required; zero for any.
        CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH = 13,
        /// Whether a cluster may be larger than every device can run.
        CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14,
        /// The preferred [`CUclusterSchedulingPolicy`].
        CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE = 15,
        /// Whether device code can update a node of the kernel.
        CU_FUNC_ATTRIBUTE_DEVICE_NODE_UPDATE_SUPPORTED = 16,
        /// The [`CUsharedMemoryMode`].
        CU_FUNC_ATTRIBUTE_SHARED_MEMORY_MODE = 17,
        // skipped CU_FUNC_ATTRIBUTE_MAX: counts the names above, differently in every header
    }
    /// Shares of shared memory, in percent.
    pub enum CUshared_carveout: c_int {
        /// The driver's choice.
        CU_SHAREDMEM_CARVEOUT_DEFAULT = -1,
        /// As much shared memory as possible.
        CU_SHAREDMEM_CARVEOUT_MAX_SHARED = 100,
        /// As much L1 cache as possible.
        CU_SHAREDMEM_CARVEOUT_MAX_L1 = 0,
    }
    /// How the L2 cache treats an access.
    pub enum CUaccessProperty: c_uint {
        /// As usual.
        CU_ACCESS_PROPERTY_NORMAL = 0,
        /// Not likely to be kept.
        CU_ACCESS_PROPERTY_STREAMING = 1,
        /// Likely to be kept.
        CU_ACCESS_PROPERTY_PERSISTING = 2,
    }
}

/// A range of memory, and how the L2 cache treats accesses to it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUaccessPolicyWindow_v1 {
    /// Start of the range.
    pub base_ptr: *mut c_void,
    /// Bytes of the range.
    pub num_bytes: usize,
    /// The share of the accesses that get `hitProp`, from 0 to 1.
    pub hitRatio: c_float,
    /// How the chosen accesses are treated.
    pub hitProp: CUaccessProperty,
    /// How the others are treated.
    pub missProp: CUaccessProperty,
}

/// A range of memory, and how the L2 cache treats accesses to it.
pub type CUaccessPolicyWindow = CUaccessPolicyWindow_v1;

enumeration! {
    /// How the host waits.
    pub enum CUsynchronizationPolicy: c_uint {
        /// The driver chooses.
        CU_SYNC_POLICY_AUTO = 1,
        /// Spin.
        CU_SYNC_POLICY_SPIN = 2,
        /// Yield.
        CU_SYNC_POLICY_YIELD = 3,
        /// Block the thread.
        CU_SYNC_POLICY_BLOCKING_SYNC = 4,
    }
    /// How the blocks of a cluster are placed.
    pub enum CUclusterSchedulingPolicy: c_uint {
        /// The driver chooses.
        CU_CLUSTER_SCHEDULING_POLICY_DEFAULT = 0,
        /// Apart.
        CU_CLUSTER_SCHEDULING_POLICY_SPREAD = 1,
        /// Where the load is least.
        CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING = 2,
        /// For locality of distributed shared memory, on Rubin.
        CU_CLUSTER_SCHEDULING_POLICY_RUBIN_DSMEM_LOCALITY = 3,
    }
    /// Domains of memory synchronisation.
    pub enum CUlaunchMemSyncDomain: c_uint {
        /// That of kernels that only access their own device.
        CU_LAUNCH_MEM_SYNC_DOMAIN_DEFAULT = 0,
        /// That of kernels that access other devices.
        CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE = 1,
    }
}

/// The memory domains of a launch, by what they are for.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUlaunchMemSyncDomainMap {
    /// The domain of a launch that says nothing else.
    pub default_: c_uchar,
    /// The domain of a launch that writes to other devices.
    pub remote: c_uchar,
}

enumeration! {
    /// Whether the size of a cluster must fit every device.
    pub enum CUlaunchAttributePortableClusterMode: c_uint {
        /// As the function's attribute says.
        CU_LAUNCH_PORTABLE_CLUSTER_MODE_DEFAULT = 0,
        /// It must.
        CU_LAUNCH_PORTABLE_CLUSTER_MODE_REQUIRE_PORTABLE = 1,
        /// It need not.
        CU_LAUNCH_PORTABLE_CLUSTER_MODE_ALLOW_NON_PORTABLE = 2,
    }
    /// How much shared memory a launch may ask for.
    pub enum CUsharedMemoryMode: c_uint {
        /// As the function's attribute says.
        CU_SHARED_MEMORY_MODE_DEFAULT = 0,
        /// As much as every launch may use.
        CU_SHARED_MEMORY_MODE_REQUIRE_PORTABLE = 1,
        /// As much as a launch that opts in may use.
        CU_SHARED_MEMORY_MODE_ALLOW_NON_PORTABLE = 2,
        /// More, at the cost of L1 cache.
        CU_SHARED_MEMORY_MODE_ALLOW_OVERSIZED_SHARED_MEMORY = 3,
        /// More, at the cost of L1 cache, by preference.
        CU_SHARED_MEMORY_MODE_PREFER_OVERSIZED_SHARED_MEMORY = 4,
    }
    /// Attributes of launches, streams and kernel nodes.
    pub enum CUlaunchAttributeID: c_uint {
        /// None: the entry is ignored.
        CU_LAUNCH_ATTRIBUTE_IGNORE = 0,
        /// A range of memory that the L2 cache treats in its own way.
        CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW = 1,
        /// A cooperative launch.
        CU_LAUNCH_ATTRIBUTE_COOPERATIVE = 2,
        /// How the host waits for the stream.
        CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY = 3,
        /// The extents of a cluster.
        CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4,
        /// How the blocks of a cluster are placed.
        CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE = 5,
        /// The kernel may start before the one before it is finished.
        CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION = 6,
        /// An event that is complete when all blocks have triggered it.
        CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT = 7,
        /// The priority.
        CU_LAUNCH_ATTRIBUTE_PRIORITY = 8,
        /// Which domains of memory synchronisation the names stand for.
        CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP = 9,
        /// The domain of memory synchronisation.
        CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN = 10,
        /// The extents of a cluster that are preferred.
        CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION = 11,
        /// An event that is complete when all blocks have started.
        CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT = 12,
        /// Device code can update the node.
        CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE = 13,
        /// The preferred share of shared memory, in percent.
        CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 14,
        /// Blocks are placed for the use of NVLink.
        CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING = 16,
        /// Whether the size of a cluster must fit every device.
        CU_LAUNCH_ATTRIBUTE_PORTABLE_CLUSTER_SIZE_MODE = 17,
        /// How much shared memory the launch may ask for.
        CU_LAUNCH_ATTRIBUTE_SHARED_MEMORY_MODE = 18,
    }
}

/// The value of an attribute of a launch. The attribute says which field counts.
#[repr(C)]
#[derive(Clone, Copy)]
pub union CUlaunchAttributeValue {
    /// Reserved; zero.
    pub pad: [c_char; 64],
    /// For [`CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW`].
    pub accessPolicyWindow: CUaccessPolicyWindow,
    /// For [`CU_LAUNCH_ATTRIBUTE_COOPERATIVE`]: not zero for a cooperative launch.
    pub cooperative: c_int,
    /// For [`CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY`].
    pub syncPolicy: CUsynchronizationPolicy,
    /// For [`CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION`]: blocks of a cluster.
    pub clusterDim: CUlaunchAttributeValue_clusterDim,
    /// For [`CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE`].
    pub clusterSchedulingPolicyPreference: CUclusterSchedulingPolicy,
    /// For [`CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION`]: not zero to allow it.
    pub programmaticStreamSerializationAllowed: c_int,
    /// For [`CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT`].
    pub programmaticEvent: CUlaunchAttributeValue_programmaticEvent,
    /// For [`CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT`].
    pub launchCompletionEvent: CUlaunchAttributeValue_launchCompletionEvent,
    /// For [`CU_LAUNCH_ATTRIBUTE_PRIORITY`].
    pub priority: c_int,
    /// For [`CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP`].
    pub memSyncDomainMap: CUlaunchMemSyncDomainMap,
    /// For [`CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN`].
    pub memSyncDomain: CUlaunchMemSyncDomain,
    /// For [`CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION`]: blocks of a cluster.
    pub preferredClusterDim: CUlaunchAttributeValue_preferredClusterDim,
    /// For [`CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE`].
    pub deviceUpdatableKernelNode: CUlaunchAttributeValue_deviceUpdatableKernelNode,
    /// For [`CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT`].
    pub sharedMemCarveout: c_uint,
    /// For [`CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING`].
    pub nvlinkUtilCentricScheduling: c_uint,
    /// For [`CU_LAUNCH_ATTRIBUTE_PORTABLE_CLUSTER_SIZE_MODE`].
    pub portableClusterSizeMode: CUlaunchAttributePortableClusterMode,
    /// For [`CU_LAUNCH_ATTRIBUTE_SHARED_MEMORY_MODE`].
    pub sharedMemoryMode: CUsharedMemoryMode,
}

/// The field `clusterDim` of [`CUlaunchAttributeValue`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUlaunchAttributeValue_clusterDim {
    /// In x.
    pub x: c_uint,
    /// In y.
    pub y: c_uint,
    /// In z.
    pub z: c_uint,
}

/// The field `programmaticEvent` of [`CUlaunchAttributeValue`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUlaunchAttributeValue_programmaticEvent {
    /// The event.
    pub event: CUevent,
    /// Flags; zero for none.
    pub flags: c_int,
    /// Not zero: every block triggers the event when it starts.
    pub triggerAtBlockStart: c_int,
}

/// The field `launchCompletionEvent` of [`CUlaunchAttributeValue`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUlaunchAttributeValue_launchCompletionEvent {
    /// The event.
    pub event: CUevent,
    /// Flags; zero for none.
    pub flags: c_int,
}

/// The field `preferredClusterDim` of [`CUlaunchAttributeValue`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUlaunchAttributeValue_preferredClusterDim {
    /// In x.
    pub x: c_uint,
    /// In y.
    pub y: c_uint,
    /// In z.
    pub z: c_uint,
}

/// The field `deviceUpdatableKernelNode` of [`CUlaunchAttributeValue`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUlaunchAttributeValue_deviceUpdatableKernelNode {
    /// Not zero: device code can update the node.
    pub deviceUpdatable: c_int,
    /// Out: the node, as device code knows it.
    pub devNode: CUgraphDeviceNode,
}

/// An attribute of a launch with its value.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUlaunchAttribute {
    /// Which attribute.
    pub id: CUlaunchAttributeID,
    /// Reserved; zero.
    pub pad: [c_char; 4],
    /// Its value.
    pub value: CUlaunchAttributeValue,
}

/// How a kernel is launched.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUlaunchConfig {
    /// Blocks of the grid in x.
    pub gridDimX: c_uint,
    /// Blocks of the grid in y.
    pub gridDimY: c_uint,
    /// Blocks of the grid in z.
    pub gridDimZ: c_uint,
    /// Threads of a block in x.
    pub blockDimX: c_uint,
    /// Threads of a block in y.
    pub blockDimY: c_uint,
    /// Threads of a block in z.
    pub blockDimZ: c_uint,
    /// Dynamic shared memory of a block, in bytes.
    pub sharedMemBytes: c_uint,
    /// The stream.
    pub hStream: CUstream,
    /// The attributes.
    pub attrs: *mut CUlaunchAttribute,
    /// How many attributes.
    pub numAttrs: c_uint,
}

/// An attribute of a kernel node.
pub type CUkernelNodeAttrID = CUlaunchAttributeID;

/// The value of an attribute of a kernel node.
pub type CUkernelNodeAttrValue_v1 = CUlaunchAttributeValue;

/// The current form of [`CUkernelNodeAttrValue_v1`].
pub type CUkernelNodeAttrValue = CUkernelNodeAttrValue_v1;

/// Says how much dynamic shared memory a block of a size needs.
pub type CUoccupancyB2DSize = Option<unsafe extern "C" fn(blockSize: c_int) -> usize>;

/// A kernel of a cooperative launch on several devices.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_LAUNCH_PARAMS_v1 {
    /// The function.
    pub function: CUfunction,
    /// Blocks of the grid in x.
    pub gridDimX: c_uint,
    /// Blocks of the grid in y.
    pub gridDimY: c_uint,
    /// Blocks of the grid in z.
    pub gridDimZ: c_uint,
    /// Threads of a block in x.
    pub blockDimX: c_uint,
    /// Threads of a block in y.
    pub blockDimY: c_uint,
    /// Threads of a block in z.
    pub blockDimZ: c_uint,
    /// Dynamic shared memory of a block, in bytes.
    pub sharedMemBytes: c_uint,
    /// The stream.
    pub hStream: CUstream,
    /// A pointer to each parameter.
    pub kernelParams: *mut *mut c_void,
}

/// A kernel of a cooperative launch on several devices.
pub type CUDA_LAUNCH_PARAMS = CUDA_LAUNCH_PARAMS_v1;

enumeration! {
    /// Whether a function is loaded.
    pub enum CUfunctionLoadingState: c_uint {
        /// It is not yet.
        CU_FUNCTION_LOADING_STATE_UNLOADED = 0,
        /// It is.
        CU_FUNCTION_LOADING_STATE_LOADED = 1,
        // skipped CU_FUNCTION_LOADING_STATE_MAX: counts the names above, differently in every header
    }
}

/// The attribute of a kernel node: [`CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW`].
pub const CU_KERNEL_NODE_ATTRIBUTE_ACCESS_POLICY_WINDOW: CUkernelNodeAttrID =
    CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW;
/// The attribute of a kernel node: [`CU_LAUNCH_ATTRIBUTE_COOPERATIVE`].
pub const CU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE: CUkernelNodeAttrID =
    CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
/// The attribute of a kernel node: [`CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION`].
pub const CU_KERNEL_NODE_ATTRIBUTE_CLUSTER_DIMENSION: CUkernelNodeAttrID =
    CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
/// The attribute of a kernel node: [`CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE`].
pub const CU_KERNEL_NODE_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE: CUkernelNodeAttrID =
    CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE;
/// The attribute of a kernel node: [`CU_LAUNCH_ATTRIBUTE_PRIORITY`].
pub const CU_KERNEL_NODE_ATTRIBUTE_PRIORITY: CUkernelNodeAttrID = CU_LAUNCH_ATTRIBUTE_PRIORITY;
/// The attribute of a kernel node: [`CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP`].
pub const CU_KERNEL_NODE_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP: CUkernelNodeAttrID =
    CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP;
/// The attribute of a kernel node: [`CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN`].
pub const CU_KERNEL_NODE_ATTRIBUTE_MEM_SYNC_DOMAIN: CUkernelNodeAttrID =
    CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN;
/// The attribute of a kernel node: [`CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION`].
pub const CU_KERNEL_NODE_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION: CUkernelNodeAttrID =
    CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION;
/// The attribute of a kernel node: [`CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE`].
pub const CU_KERNEL_NODE_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE: CUkernelNodeAttrID =
    CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE;
/// The attribute of a kernel node: [`CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT`].
pub const CU_KERNEL_NODE_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: CUkernelNodeAttrID =
    CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT;
/// The grids do not wait for each other's streams before they start.
pub const CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_PRE_LAUNCH_SYNC: c_uint = 0x1;
/// Later work in a stream waits for the grid of that stream alone.
pub const CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_POST_LAUNCH_SYNC: c_uint = 0x2;
/// In place of the extents of a block: those that the kernel was compiled for.
pub const CU_LAUNCH_KERNEL_REQUIRED_BLOCK_DIM: c_uint = 1;
/// [`CU_LAUNCH_PARAM_END`] as an integer.
pub const CU_LAUNCH_PARAM_END_AS_INT: usize = 0x0;
/// The end of the `extra` of a launch.
pub const CU_LAUNCH_PARAM_END: *mut c_void = ptr::without_provenance_mut(0x0);
/// [`CU_LAUNCH_PARAM_BUFFER_POINTER`] as an integer.
pub const CU_LAUNCH_PARAM_BUFFER_POINTER_AS_INT: usize = 0x1;
/// In the `extra` of a launch: the next value points to a buffer of the kernel's parameters.
pub const CU_LAUNCH_PARAM_BUFFER_POINTER: *mut c_void = ptr::without_provenance_mut(0x1);
/// [`CU_LAUNCH_PARAM_BUFFER_SIZE`] as an integer.
pub const CU_LAUNCH_PARAM_BUFFER_SIZE_AS_INT: usize = 0x2;
/// In the `extra` of a launch: the next value points to a `usize`, the size of the buffer.
pub const CU_LAUNCH_PARAM_BUFFER_SIZE: *mut c_void = ptr::without_provenance_mut(0x2);
