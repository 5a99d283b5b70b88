//! Result codes, and what the driver calls them.

use core::ffi::{c_char, c_uint};

enumeration! {
    /// What a driver function returns. Newer drivers may return codes without a name here.
    pub enum CUresult: c_uint {
        /// The call succeeded; for a query, what was asked about is complete.
        CUDA_SUCCESS = 0,
        /// An argument is out of range or otherwise unacceptable.
        CUDA_ERROR_INVALID_VALUE = 1,
        /// Not enough memory, on the device or on the host.
        CUDA_ERROR_OUT_OF_MEMORY = 2,
        /// `cuInit` was not called, failed, or the process was forked after it.
        CUDA_ERROR_NOT_INITIALIZED = 3,
        /// The driver is shutting down.
        CUDA_ERROR_DEINITIALIZED = 4,
        /// The program was linked with the toolkit's stub instead of a driver.
        CUDA_ERROR_STUB_LIBRARY = 34,
        /// The device is in use by another process or exclusively held.
        CUDA_ERROR_DEVICE_UNAVAILABLE = 46,
        /// No device that can run CUDA.
        CUDA_ERROR_NO_DEVICE = 100,
        /// No device of that ordinal.
        CUDA_ERROR_INVALID_DEVICE = 101,
        /// The image of a kernel is not valid.
        CUDA_ERROR_INVALID_IMAGE = 200,
        /// No context is current, or the handle is not one of a context.
        CUDA_ERROR_INVALID_CONTEXT = 201,
        /// Memory could not be mapped.
        CUDA_ERROR_MAP_FAILED = 205,
        /// The image has no code for this device.
        CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
        /// An uncorrectable memory error.
        CUDA_ERROR_ECC_UNCORRECTABLE = 214,
        /// The device does not have this limit.
        CUDA_ERROR_UNSUPPORTED_LIMIT = 215,
        /// The context is bound to another thread.
        CUDA_ERROR_CONTEXT_ALREADY_IN_USE = 216,
        /// No peer access between these devices.
        CUDA_ERROR_PEER_ACCESS_UNSUPPORTED = 217,
        /// PTX did not compile.
        CUDA_ERROR_INVALID_PTX = 218,
        /// The driver has no PTX compiler.
        CUDA_ERROR_JIT_COMPILER_NOT_FOUND = 221,
        /// The PTX is of a version that this driver does not know.
        CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
        /// Compilation of PTX is switched off.
        CUDA_ERROR_JIT_COMPILATION_DISABLED = 223,
        /// The source is not valid.
        CUDA_ERROR_INVALID_SOURCE = 300,
        /// The file was not found.
        CUDA_ERROR_FILE_NOT_FOUND = 301,
        /// A shared object did not link.
        CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND = 302,
        /// A shared object did not initialise.
        CUDA_ERROR_SHARED_OBJECT_INIT_FAILED = 303,
        /// A call to the operating system failed.
        CUDA_ERROR_OPERATING_SYSTEM = 304,
        /// The handle is not valid, or not in this context.
        CUDA_ERROR_INVALID_HANDLE = 400,
        /// The resource is in a state that does not allow this.
        CUDA_ERROR_ILLEGAL_STATE = 401,
        /// No such name.
        CUDA_ERROR_NOT_FOUND = 500,
        /// Not finished yet: the answer of a query.
        CUDA_ERROR_NOT_READY = 600,
        /// A kernel accessed an address that it may not.
        CUDA_ERROR_ILLEGAL_ADDRESS = 700,
        /// The launch asks for more resources than there are.
        CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
        /// A kernel ran for too long.
        CUDA_ERROR_LAUNCH_TIMEOUT = 702,
        /// Peer access is already enabled.
        CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED = 704,
        /// Peer access is not enabled.
        CUDA_ERROR_PEER_ACCESS_NOT_ENABLED = 705,
        /// The primary context is already active.
        CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE = 708,
        /// The context was destroyed, or is a primary context that is not active.
        CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
        /// A device-side `assert` failed.
        CUDA_ERROR_ASSERT = 710,
        /// The host memory is already registered.
        CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED = 712,
        /// The host memory is not registered.
        CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED = 713,
        /// A kernel's call stack was corrupted or ran over.
        CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
        /// A kernel met an illegal instruction.
        CUDA_ERROR_ILLEGAL_INSTRUCTION = 715,
        /// A kernel accessed memory at an address that is not aligned.
        CUDA_ERROR_MISALIGNED_ADDRESS = 716,
        /// A kernel used an instruction on an address space that it is not for.
        CUDA_ERROR_INVALID_ADDRESS_SPACE = 717,
        /// A kernel's program counter left its code.
        CUDA_ERROR_INVALID_PC = 718,
        /// A kernel failed: a trap, or another exception.
        CUDA_ERROR_LAUNCH_FAILED = 719,
        /// A cooperative launch has more blocks than fit at once.
        CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE = 720,
        /// Not permitted here: a driver call in a host function, for instance.
        CUDA_ERROR_NOT_PERMITTED = 800,
        /// Not supported by this driver or device.
        CUDA_ERROR_NOT_SUPPORTED = 801,
        /// The driver is older than a library that talks to it.
        CUDA_ERROR_SYSTEM_DRIVER_MISMATCH = 803,
        /// The call is not possible while a stream is captured.
        CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED = 900,
        /// The capture was spoiled by an earlier call.
        CUDA_ERROR_STREAM_CAPTURE_INVALIDATED = 901,
        /// An unknown internal error.
        CUDA_ERROR_UNKNOWN = 999,
    }
}

/// Hands the functions of this group to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! result_functions {
    ($with:path) => {
        $with! {
            /// Points `pStr` at the name of a code; works before `cuInit`.
            fn cuGetErrorName(error: CUresult, pStr: *mut *const c_char) -> CUresult;
            /// Points `pStr` at the description of a code; works before `cuInit`.
            fn cuGetErrorString(error: CUresult, pStr: *mut *const c_char) -> CUresult;
        }
    };
}
result_functions!(declare);
