//! How contexts behave.

use core::ffi::{c_int, c_uint, c_void};

flags! {
    /// How a context behaves: the `flags` of `cuCtxCreate_v2` and `cuDevicePrimaryCtxSetFlags_v2`.
    /// At most one of the four ways to wait (`CU_CTX_SCHED_*`).
    pub struct CUctx_flags: c_uint {
        /// The driver chooses how to wait.
        const CU_CTX_SCHED_AUTO = 0x00;
        /// Spin while waiting for the device.
        const CU_CTX_SCHED_SPIN = 0x01;
        /// Yield while waiting for the device.
        const CU_CTX_SCHED_YIELD = 0x02;
        /// Block the thread while waiting for the device.
        const CU_CTX_SCHED_BLOCKING_SYNC = 0x04;
        /// The earlier name of `CU_CTX_SCHED_BLOCKING_SYNC`.
        const CU_CTX_BLOCKING_SYNC = 0x04;
        /// The bits of the ways to wait.
        const CU_CTX_SCHED_MASK = 0x07;
        /// Support mapped page-locked memory; always on since CUDA 11.0.
        const CU_CTX_MAP_HOST = 0x08;
        /// Keep local memory after a launch that needed more.
        const CU_CTX_LMEM_RESIZE_TO_MAX = 0x10;
        /// Core dumps of the device, for this context.
        const CU_CTX_COREDUMP_ENABLE = 0x20;
        /// Core dumps that the program triggers, for this context.
        const CU_CTX_USER_COREDUMP_ENABLE = 0x40;
        /// Synchronous operations on memory always synchronise.
        const CU_CTX_SYNC_MEMOPS = 0x80;
        /// The bits of all flags.
        const CU_CTX_FLAGS_MASK = 0xFF;
    }
}

enumeration! {
    /// How a context of OpenCL waits.
    pub enum cl_context_flags: c_uint {
        /// The driver chooses.
        NVCL_CTX_SCHED_AUTO = 0x00,
        /// Spin.
        NVCL_CTX_SCHED_SPIN = 0x01,
        /// Yield.
        NVCL_CTX_SCHED_YIELD = 0x02,
        /// Block the thread.
        NVCL_CTX_SCHED_BLOCKING_SYNC = 0x04,
    }
    /// How memory is divided between L1 cache and shared memory.
    pub enum CUfunc_cache: c_uint {
        /// No preference.
        CU_FUNC_CACHE_PREFER_NONE = 0x00,
        /// More shared memory.
        CU_FUNC_CACHE_PREFER_SHARED = 0x01,
        /// More L1 cache.
        CU_FUNC_CACHE_PREFER_L1 = 0x02,
        /// Both the same.
        CU_FUNC_CACHE_PREFER_EQUAL = 0x03,
    }
    /// The width of the banks of shared memory.
    pub enum CUsharedconfig: c_uint {
        /// The device's default.
        CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE = 0x00,
        /// Four bytes.
        CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE = 0x01,
        /// Eight bytes.
        CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE = 0x02,
    }
    /// A limit of `cuCtxSetLimit`.
    pub enum CUlimit: c_uint {
        /// Bytes of the stack of a thread.
        CU_LIMIT_STACK_SIZE = 0x00,
        /// Bytes of the buffer of `printf`.
        CU_LIMIT_PRINTF_FIFO_SIZE = 0x01,
        /// Bytes of the heap of `malloc`.
        CU_LIMIT_MALLOC_HEAP_SIZE = 0x02,
        /// How deep a grid can be nested that another waits for.
        CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH = 0x03,
        /// Launches from the device that can be outstanding.
        CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT = 0x04,
        /// Bytes that the L2 cache fetches at once, as a hint.
        CU_LIMIT_MAX_L2_FETCH_GRANULARITY = 0x05,
        /// Bytes of the L2 cache set aside for data that persist.
        CU_LIMIT_PERSISTING_L2_CACHE_SIZE = 0x06,
        /// Bytes of shared memory in a context that shares with graphics. Read only.
        CU_LIMIT_SHMEM_SIZE = 0x07,
        /// Whether the context shares with graphics. Read only.
        CU_LIMIT_CIG_ENABLED = 0x08,
        /// Whether a kernel that needs more shared memory than there is runs all the same.
        CU_LIMIT_CIG_SHMEM_FALLBACK_ENABLED = 0x09,
        /// Bytes of memory of a block.
        CU_LIMIT_PER_BLOCK_MEMORY_SIZE = 0x0A,
        // skipped CU_LIMIT_MAX: counts the names above, differently in every header
    }
    /// Kinds of affinity.
    pub enum CUexecAffinityType: c_uint {
        /// To a number of multiprocessors.
        CU_EXEC_AFFINITY_TYPE_SM_COUNT = 0,
        // skipped CU_EXEC_AFFINITY_TYPE_MAX: counts the names above, differently in every header
    }
}

/// An affinity to a number of multiprocessors.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUexecAffinitySmCount_v1 {
    /// How many.
    pub val: c_uint,
}

/// An affinity to a number of multiprocessors.
pub type CUexecAffinitySmCount = CUexecAffinitySmCount_v1;

/// An affinity of a context.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUexecAffinityParam_v1 {
    /// The kind of affinity.
    pub r#type: CUexecAffinityType,
    /// Its value.
    pub param: CUexecAffinityParam_v1_param,
}

/// The field `param` of [`CUexecAffinityParam_v1`].
#[repr(C)]
#[derive(Clone, Copy)]
pub union CUexecAffinityParam_v1_param {
    /// How many multiprocessors.
    pub smCount: CUexecAffinitySmCount,
}

/// An affinity of a context.
pub type CUexecAffinityParam = CUexecAffinityParam_v1;

enumeration! {
    /// A kind of data that a context shares with graphics.
    pub enum CUcigDataType: c_uint {
        /// A command queue of Direct3D 12.
        CIG_DATA_TYPE_D3D12_COMMAND_QUEUE = 0x1,
        /// Data of NVIDIA's own, for Vulkan and others.
        CIG_DATA_TYPE_NV_BLOB = 0x2,
    }
}

/// Data that a context shares with graphics.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUctxCigParam {
    /// The kind of the data.
    pub sharedDataType: CUcigDataType,
    /// The object of the graphics interface.
    pub sharedData: *mut c_void,
}

/// How a context is created.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUctxCreateParams {
    /// The affinities; null for none.
    pub execAffinityParams: *mut CUexecAffinityParam,
    /// How many affinities.
    pub numExecAffinityParams: c_int,
    /// The data that is shared with graphics; null for none.
    pub cigParams: *mut CUctxCigParam,
}
