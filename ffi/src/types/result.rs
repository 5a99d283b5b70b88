//! Result codes.

use core::ffi::c_uint;

enumeration! {
    /// The code that a driver function returns. Newer drivers may return codes without a name here.
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
        /// The profiler is not running for this program.
        CUDA_ERROR_PROFILER_DISABLED = 5,
        /// Not used since CUDA 5.0: the profiler was not initialised.
        CUDA_ERROR_PROFILER_NOT_INITIALIZED = 6,
        /// Not used since CUDA 5.0: the profiler was already started.
        CUDA_ERROR_PROFILER_ALREADY_STARTED = 7,
        /// Not used since CUDA 5.0: the profiler was already stopped.
        CUDA_ERROR_PROFILER_ALREADY_STOPPED = 8,
        /// The program was linked with the toolkit's stub instead of a driver.
        CUDA_ERROR_STUB_LIBRARY = 34,
        /// The call needs a newer driver.
        CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER = 36,
        /// The device is in use by another process or exclusively held.
        CUDA_ERROR_DEVICE_UNAVAILABLE = 46,
        /// The devices have no room for another multicast object.
        CUDA_ERROR_MULTICAST_RESOURCE_FULL = 47,
        /// No device that can run CUDA.
        CUDA_ERROR_NO_DEVICE = 100,
        /// No device of that ordinal.
        CUDA_ERROR_INVALID_DEVICE = 101,
        /// The device has no licence for this.
        CUDA_ERROR_DEVICE_NOT_LICENSED = 102,
        /// The image of a kernel is not valid.
        CUDA_ERROR_INVALID_IMAGE = 200,
        /// No context is current, or the handle is not one of a context.
        CUDA_ERROR_INVALID_CONTEXT = 201,
        /// Not used since CUDA 3.2: the context was already current.
        CUDA_ERROR_CONTEXT_ALREADY_CURRENT = 202,
        /// Memory could not be mapped.
        CUDA_ERROR_MAP_FAILED = 205,
        /// Memory could not be unmapped.
        CUDA_ERROR_UNMAP_FAILED = 206,
        /// The array is mapped.
        CUDA_ERROR_ARRAY_IS_MAPPED = 207,
        /// The resource is already mapped.
        CUDA_ERROR_ALREADY_MAPPED = 208,
        /// The image has no code for this device.
        CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
        /// The resource is already acquired.
        CUDA_ERROR_ALREADY_ACQUIRED = 210,
        /// The resource is not mapped.
        CUDA_ERROR_NOT_MAPPED = 211,
        /// The resource is not mapped as an array.
        CUDA_ERROR_NOT_MAPPED_AS_ARRAY = 212,
        /// The resource is not mapped as memory.
        CUDA_ERROR_NOT_MAPPED_AS_POINTER = 213,
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
        /// The context of graphics is not valid.
        CUDA_ERROR_INVALID_GRAPHICS_CONTEXT = 219,
        /// An uncorrectable error of NVLink.
        CUDA_ERROR_NVLINK_UNCORRECTABLE = 220,
        /// The driver has no PTX compiler.
        CUDA_ERROR_JIT_COMPILER_NOT_FOUND = 221,
        /// The PTX is of a version that this driver does not know.
        CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
        /// Compilation of PTX is switched off.
        CUDA_ERROR_JIT_COMPILATION_DISABLED = 223,
        /// The device does not have this affinity.
        CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY = 224,
        /// The code waits for kernels that it launched on the device, which is not supported.
        CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC = 225,
        /// An error of the device that was contained. The process has to be started again.
        CUDA_ERROR_CONTAINED = 226,
        /// The loader is too old for the fatbin.
        CUDA_ERROR_INSUFFICIENT_LOADER_VERSION = 227,
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
        /// The answer would leave out something that matters.
        CUDA_ERROR_LOSSY_QUERY = 402,
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
        /// The kernel's use of textures does not go with its mode of texturing.
        CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING = 703,
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
        /// Too many peers have access.
        CUDA_ERROR_TOO_MANY_PEERS = 711,
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
        /// A block ended without freeing its tensor memory.
        CUDA_ERROR_TENSOR_MEMORY_LEAK = 721,
        /// Not permitted here: a driver call in a host function, for instance.
        CUDA_ERROR_NOT_PERMITTED = 800,
        /// Not supported by this driver or device.
        CUDA_ERROR_NOT_SUPPORTED = 801,
        /// The system is not ready: a service of the driver is not running, for instance.
        CUDA_ERROR_SYSTEM_NOT_READY = 802,
        /// The driver is older than a library that talks to it.
        CUDA_ERROR_SYSTEM_DRIVER_MISMATCH = 803,
        /// The device does not work with a driver library newer than the kernel module.
        CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE = 804,
        /// No connection to MPS.
        CUDA_ERROR_MPS_CONNECTION_FAILED = 805,
        /// A call between MPS and its client failed.
        CUDA_ERROR_MPS_RPC_FAILURE = 806,
        /// The MPS server takes no clients now.
        CUDA_ERROR_MPS_SERVER_NOT_READY = 807,
        /// MPS has no room for another client.
        CUDA_ERROR_MPS_MAX_CLIENTS_REACHED = 808,
        /// MPS has no room for another connection.
        CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED = 809,
        /// MPS ended this client.
        CUDA_ERROR_MPS_CLIENT_TERMINATED = 810,
        /// The code launches kernels on the device, which is not supported.
        CUDA_ERROR_CDP_NOT_SUPPORTED = 811,
        /// Two versions of launches on the device in one program.
        CUDA_ERROR_CDP_VERSION_MISMATCH = 812,
        /// The call is not possible while a stream is captured.
        CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED = 900,
        /// The capture was spoiled by an earlier call.
        CUDA_ERROR_STREAM_CAPTURE_INVALIDATED = 901,
        /// The call would merge two captures.
        CUDA_ERROR_STREAM_CAPTURE_MERGE = 902,
        /// The capture did not begin in this stream.
        CUDA_ERROR_STREAM_CAPTURE_UNMATCHED = 903,
        /// A stream that the capture spread to was not joined.
        CUDA_ERROR_STREAM_CAPTURE_UNJOINED = 904,
        /// A dependency would cross the border of the capture.
        CUDA_ERROR_STREAM_CAPTURE_ISOLATION = 905,
        /// The call depends on a captured stream without saying so: by the legacy stream.
        CUDA_ERROR_STREAM_CAPTURE_IMPLICIT = 906,
        /// The event was recorded in a capture.
        CUDA_ERROR_CAPTURED_EVENT = 907,
        /// The capture began in another thread.
        CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD = 908,
        /// The time is up.
        CUDA_ERROR_TIMEOUT = 909,
        /// The graph cannot be updated so.
        CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE = 910,
        /// A device outside of CUDA failed.
        CUDA_ERROR_EXTERNAL_DEVICE = 911,
        /// The size of the cluster is not possible.
        CUDA_ERROR_INVALID_CLUSTER_SIZE = 912,
        /// The function is not loaded.
        CUDA_ERROR_FUNCTION_NOT_LOADED = 913,
        /// The type of resource is not valid here.
        CUDA_ERROR_INVALID_RESOURCE_TYPE = 914,
        /// The resources do not go together or are not enough.
        CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION = 915,
        /// Exchanging the encryption keys failed.
        CUDA_ERROR_KEY_ROTATION = 916,
        /// The stream has lost its green context.
        CUDA_ERROR_STREAM_DETACHED = 917,
        /// Capturing a graph anew failed.
        CUDA_ERROR_GRAPH_RECAPTURE_FAILURE = 918,
        /// The fabric is not ready yet; it may be later.
        CUDA_ERROR_FABRIC_NOT_READY = 919,
        /// An unknown internal error.
        CUDA_ERROR_UNKNOWN = 999,
    }
}
