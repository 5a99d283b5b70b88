//! Streams: flags, capture, operations on memory.

use crate::{
    CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN,
    CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, CU_LAUNCH_ATTRIBUTE_PRIORITY,
    CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, CUdeviceptr, CUlaunchAttributeID,
    CUlaunchAttributeValue, CUresult, CUstream, cuuint32_t, cuuint64_t,
};
use core::ffi::{c_uint, c_void};
use core::ptr;

flags! {
    /// The `Flags` of `cuStreamCreate`.
    pub struct CUstream_flags: c_uint {
        /// None.
        const CU_STREAM_DEFAULT = 0x0;
        /// No implicit order with the legacy default stream.
        const CU_STREAM_NON_BLOCKING = 0x1;
    }
}

enumeration! {
    /// Atomic operations.
    pub enum CUatomicOperation: c_uint {
        /// Addition of integers.
        CU_ATOMIC_OPERATION_INTEGER_ADD = 0,
        /// Minimum of integers.
        CU_ATOMIC_OPERATION_INTEGER_MIN = 1,
        /// Maximum of integers.
        CU_ATOMIC_OPERATION_INTEGER_MAX = 2,
        /// Increment of an integer.
        CU_ATOMIC_OPERATION_INTEGER_INCREMENT = 3,
        /// Decrement of an integer.
        CU_ATOMIC_OPERATION_INTEGER_DECREMENT = 4,
        /// Bitwise and.
        CU_ATOMIC_OPERATION_AND = 5,
        /// Bitwise or.
        CU_ATOMIC_OPERATION_OR = 6,
        /// Bitwise exclusive or.
        CU_ATOMIC_OPERATION_XOR = 7,
        /// Exchange.
        CU_ATOMIC_OPERATION_EXCHANGE = 8,
        /// Compare and swap.
        CU_ATOMIC_OPERATION_CAS = 9,
        /// Addition of floating-point numbers.
        CU_ATOMIC_OPERATION_FLOAT_ADD = 10,
        /// Minimum of floating-point numbers.
        CU_ATOMIC_OPERATION_FLOAT_MIN = 11,
        /// Maximum of floating-point numbers.
        CU_ATOMIC_OPERATION_FLOAT_MAX = 12,
        // skipped CU_ATOMIC_OPERATION_MAX: counts the names above, differently in every header
    }
}

flags! {
    /// Operands that an atomic operation takes.
    pub struct CUatomicOperationCapability: c_uint {
        /// Signed integers.
        const CU_ATOMIC_CAPABILITY_SIGNED = 1;
        /// Unsigned integers.
        const CU_ATOMIC_CAPABILITY_UNSIGNED = 2;
        /// As a reduction, without the old value.
        const CU_ATOMIC_CAPABILITY_REDUCTION = 4;
        /// Values of 32 bits.
        const CU_ATOMIC_CAPABILITY_SCALAR_32 = 8;
        /// Values of 64 bits.
        const CU_ATOMIC_CAPABILITY_SCALAR_64 = 0x10;
        /// Values of 128 bits.
        const CU_ATOMIC_CAPABILITY_SCALAR_128 = 0x20;
        /// Four values of 32 bits each.
        const CU_ATOMIC_CAPABILITY_VECTOR_32x4 = 0x40;
    }
}

enumeration! {
    /// When a stream goes on.
    pub enum CUstreamWaitValue_flags: c_uint {
        /// The difference of `*addr` and the value, as a signed number, is not below zero.
        CU_STREAM_WAIT_VALUE_GEQ = 0x0,
        /// `*addr` equals the value.
        CU_STREAM_WAIT_VALUE_EQ = 0x1,
        /// `*addr & value` is not zero.
        CU_STREAM_WAIT_VALUE_AND = 0x2,
        /// `!(*addr | value)` is not zero.
        CU_STREAM_WAIT_VALUE_NOR = 0x3,
        /// With one of the others: remote writes before are flushed after the wait.
        CU_STREAM_WAIT_VALUE_FLUSH = 0x40000000,
    }
}

flags! {
    /// How a stream writes a value.
    pub struct CUstreamWriteValue_flags: c_uint {
        /// After the writes before it, for the whole system.
        const CU_STREAM_WRITE_VALUE_DEFAULT = 0x0;
        /// In no order with the writes before it.
        const CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER = 0x1;
    }
}

enumeration! {
    /// Operations of a batch.
    pub enum CUstreamBatchMemOpType: c_uint {
        /// Waits for a value of 32 bits.
        CU_STREAM_MEM_OP_WAIT_VALUE_32 = 1,
        /// Writes a value of 32 bits.
        CU_STREAM_MEM_OP_WRITE_VALUE_32 = 2,
        /// Waits for a value of 64 bits.
        CU_STREAM_MEM_OP_WAIT_VALUE_64 = 4,
        /// Writes a value of 64 bits.
        CU_STREAM_MEM_OP_WRITE_VALUE_64 = 5,
        /// A memory barrier.
        CU_STREAM_MEM_OP_BARRIER = 6,
        /// An atomic reduction.
        CU_STREAM_MEM_OP_ATOMIC_REDUCTION = 8,
        /// Flushes remote writes.
        CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES = 3,
    }
    /// How far a barrier reaches.
    pub enum CUstreamMemoryBarrier_flags: c_uint {
        /// The whole system.
        CU_STREAM_MEMORY_BARRIER_TYPE_SYS = 0x0,
        /// The device.
        CU_STREAM_MEMORY_BARRIER_TYPE_GPU = 0x1,
    }
    /// Atomic reductions.
    pub enum CUstreamAtomicReductionOpType: c_uint {
        /// Bitwise or.
        CU_STREAM_ATOMIC_REDUCTION_OP_OR = 6,
        /// Bitwise and.
        CU_STREAM_ATOMIC_REDUCTION_OP_AND = 5,
        /// Addition.
        CU_STREAM_ATOMIC_REDUCTION_OP_ADD = 0,
    }
    /// Types of atomic reductions.
    pub enum CUstreamAtomicReductionDataType: c_uint {
        /// Unsigned integers of 32 bits.
        CU_STREAM_ATOMIC_REDUCTION_UNSIGNED_32 = 14,
        /// Unsigned integers of 64 bits.
        CU_STREAM_ATOMIC_REDUCTION_UNSIGNED_64 = 0x16,
    }
}

/// One operation on memory in a stream. The field `operation` says which.
#[repr(C)]
#[derive(Clone, Copy)]
pub union CUstreamBatchMemOpParams_v1 {
    /// Which operation.
    pub operation: CUstreamBatchMemOpType,
    /// For a wait.
    pub waitValue: CUstreamBatchMemOpParams_v1_waitValue,
    /// For a write.
    pub writeValue: CUstreamBatchMemOpParams_v1_writeValue,
    /// For a flush of remote writes.
    pub flushRemoteWrites: CUstreamBatchMemOpParams_v1_flushRemoteWrites,
    /// For a barrier.
    pub memoryBarrier: CUstreamBatchMemOpParams_v1_memoryBarrier,
    /// For an atomic reduction.
    pub atomicReduction: CUstreamBatchMemOpParams_v1_atomicReduction,
    /// Reserved; zero.
    pub pad: [cuuint64_t; 6],
}

/// The field `waitValue` of [`CUstreamBatchMemOpParams_v1`].
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUstreamBatchMemOpParams_v1_waitValue {
    /// Which operation.
    pub operation: CUstreamBatchMemOpType,
    /// The address.
    pub address: CUdeviceptr,
    /// The union that has no name in C.
    pub anonymous: CUstreamBatchMemOpParams_v1_waitValue_anonymous,
    /// Flags; zero for none.
    pub flags: c_uint,
    /// An address of the program's own that the driver ignores.
    pub alias: CUdeviceptr,
}

/// The union without a name in [`CUstreamBatchMemOpParams_v1_waitValue`].
#[repr(C)]
#[derive(Clone, Copy)]
pub union CUstreamBatchMemOpParams_v1_waitValue_anonymous {
    /// The value to compare with or to write.
    pub value: cuuint32_t,
    /// The value, for an operation on 64 bits.
    pub value64: cuuint64_t,
}

/// The field `writeValue` of [`CUstreamBatchMemOpParams_v1`].
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUstreamBatchMemOpParams_v1_writeValue {
    /// Which operation.
    pub operation: CUstreamBatchMemOpType,
    /// The address.
    pub address: CUdeviceptr,
    /// The union that has no name in C.
    pub anonymous: CUstreamBatchMemOpParams_v1_writeValue_anonymous,
    /// Flags; zero for none.
    pub flags: c_uint,
    /// An address of the program's own that the driver ignores.
    pub alias: CUdeviceptr,
}

/// The union without a name in [`CUstreamBatchMemOpParams_v1_writeValue`].
#[repr(C)]
#[derive(Clone, Copy)]
pub union CUstreamBatchMemOpParams_v1_writeValue_anonymous {
    /// The value to compare with or to write.
    pub value: cuuint32_t,
    /// The value, for an operation on 64 bits.
    pub value64: cuuint64_t,
}

/// The field `flushRemoteWrites` of [`CUstreamBatchMemOpParams_v1`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUstreamBatchMemOpParams_v1_flushRemoteWrites {
    /// Which operation.
    pub operation: CUstreamBatchMemOpType,
    /// Flags; zero for none.
    pub flags: c_uint,
}

/// The field `memoryBarrier` of [`CUstreamBatchMemOpParams_v1`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUstreamBatchMemOpParams_v1_memoryBarrier {
    /// Which operation.
    pub operation: CUstreamBatchMemOpType,
    /// Flags; zero for none.
    pub flags: c_uint,
}

/// The field `atomicReduction` of [`CUstreamBatchMemOpParams_v1`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUstreamBatchMemOpParams_v1_atomicReduction {
    /// Which operation.
    pub operation: CUstreamBatchMemOpType,
    /// Flags; zero for none.
    pub flags: c_uint,
    /// The reduction.
    pub reductionOp: CUstreamAtomicReductionOpType,
    /// The type of the value.
    pub dataType: CUstreamAtomicReductionDataType,
    /// The address.
    pub address: CUdeviceptr,
    /// The value to compare with or to write.
    pub value: cuuint64_t,
    /// An address of the program's own that the driver ignores.
    pub alias: CUdeviceptr,
}

/// One operation on memory in a stream. The field `operation` says which.
pub type CUstreamBatchMemOpParams = CUstreamBatchMemOpParams_v1;

enumeration! {
    /// A change of the dependencies of a capture.
    pub enum CUstreamUpdateCaptureDependencies_flags: c_uint {
        /// Add the new ones.
        CU_STREAM_ADD_CAPTURE_DEPENDENCIES = 0x0,
        /// Replace them by the new ones.
        CU_STREAM_SET_CAPTURE_DEPENDENCIES = 0x1,
    }
    /// Whether a stream is captured.
    pub enum CUstreamCaptureStatus: c_uint {
        /// It is not.
        CU_STREAM_CAPTURE_STATUS_NONE = 0,
        /// It is.
        CU_STREAM_CAPTURE_STATUS_ACTIVE = 1,
        /// It is, and the capture was spoiled.
        CU_STREAM_CAPTURE_STATUS_INVALIDATED = 2,
    }
    /// The calls that a capture forbids, and the threads to which it forbids them.
    pub enum CUstreamCaptureMode: c_uint {
        /// Unsafe calls are refused in every thread.
        CU_STREAM_CAPTURE_MODE_GLOBAL = 0,
        /// Unsafe calls are refused in the capturing thread.
        CU_STREAM_CAPTURE_MODE_THREAD_LOCAL = 1,
        /// Nothing is refused for the sake of a capture.
        CU_STREAM_CAPTURE_MODE_RELAXED = 2,
    }
}

/// An attribute of a stream.
pub type CUstreamAttrID = CUlaunchAttributeID;

/// The value of an attribute of a stream.
pub type CUstreamAttrValue_v1 = CUlaunchAttributeValue;

/// The current form of [`CUstreamAttrValue_v1`].
pub type CUstreamAttrValue = CUstreamAttrValue_v1;

enumeration! {
    /// A kind of data that a stream shares with graphics.
    pub enum CUstreamCigDataType: c_uint {
        /// A command list of Direct3D 12.
        STREAM_CIG_DATA_TYPE_D3D12_COMMAND_LIST = 0x1,
        /// A command buffer of Vulkan.
        STREAM_CIG_DATA_TYPE_VULKAN_COMMAND_BUFFER_HANDLE_NV = 0x2,
    }
}

/// Data that a stream shares with graphics.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUstreamCigParam {
    /// The kind of the data.
    pub streamSharedDataType: CUstreamCigDataType,
    /// The object of the graphics interface.
    pub streamSharedData: *mut c_void,
}

/// Data that a captured stream shares with graphics.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUstreamCigCaptureParams {
    /// The data that is shared with graphics.
    pub streamCigParams: *mut CUstreamCigParam,
}

/// A function that a stream runs on the host: `cuStreamAddCallback`.
pub type CUstreamCallback =
    Option<unsafe extern "C" fn(hStream: CUstream, status: CUresult, userData: *mut c_void)>;

/// The legacy default stream, which waits for the other blocking streams of its context and they for it.
pub const CU_STREAM_LEGACY: CUstream = ptr::without_provenance_mut(0x1);
/// The default stream that each thread has for itself.
pub const CU_STREAM_PER_THREAD: CUstream = ptr::without_provenance_mut(0x2);
/// The attribute of a stream: [`CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW`].
pub const CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW: CUstreamAttrID =
    CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW;
/// The attribute of a stream: [`CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY`].
pub const CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY: CUstreamAttrID =
    CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY;
/// The attribute of a stream: [`CU_LAUNCH_ATTRIBUTE_PRIORITY`].
pub const CU_STREAM_ATTRIBUTE_PRIORITY: CUstreamAttrID = CU_LAUNCH_ATTRIBUTE_PRIORITY;
/// The attribute of a stream: [`CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP`].
pub const CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP: CUstreamAttrID =
    CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP;
/// The attribute of a stream: [`CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN`].
pub const CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN: CUstreamAttrID = CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN;
