//! What to do about a code.

use ffi::*;

/// Whether the code is one after which the process has lost the GPU (F60, F85). For each of these
/// the CUDA driver API, "CUresult", says that "the process must be terminated and relaunched".
pub(crate) fn is_sticky(code: CUresult) -> bool {
    matches!(
        code,
        CUDA_ERROR_ILLEGAL_ADDRESS
            | CUDA_ERROR_LAUNCH_TIMEOUT
            | CUDA_ERROR_ASSERT
            | CUDA_ERROR_HARDWARE_STACK_ERROR
            | CUDA_ERROR_ILLEGAL_INSTRUCTION
            | CUDA_ERROR_MISALIGNED_ADDRESS
            | CUDA_ERROR_INVALID_ADDRESS_SPACE
            | CUDA_ERROR_INVALID_PC
            | CUDA_ERROR_LAUNCH_FAILED
    )
}

/// One sentence for whoever reads the message.
pub(super) fn for_call(call: &str, code: CUresult) -> &'static str {
    if is_sticky(code) {
        return "a kernel faulted, maybe in an earlier call, and this process can no longer use the \
                GPU: end it, and run the kernel under compute-sanitizer to find the fault";
    }
    match (code, call) {
        (CUDA_ERROR_INVALID_VALUE, "cuLaunchKernel" | "cuLaunchKernelEx") => {
            "check that every extent of grid and block is at least 1, that the block, the grid and \
             the shared memory are within the device's limits (more than 48 KiB of dynamic shared memory \
             need `Function::set_max_dynamic_shared_bytes` once), that the arguments are the kernel's, and \
             that the driver knows the attributes"
        }
        (CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, _) => {
            "launch no more blocks than `Occupancy::cooperative_blocks` says"
        }
        (CUDA_ERROR_INVALID_CLUSTER_SIZE, _) => {
            "make the grid of whole clusters, of no more blocks than `Occupancy::max_cluster_size` says"
        }
        (CUDA_ERROR_NOT_SUPPORTED, "cuLaunchKernelEx") => {
            "make events of a launch with `DISABLE_TIMING`, and without `BLOCKING_SYNC` if they tell of its start"
        }
        (CUDA_ERROR_INVALID_VALUE, "cuMemcpyHtoDAsync_v2" | "cuMemcpyDtoHAsync_v2") => {
            "check that the buffer is alive, and that the host memory, if it is registered at its \
             begin, is so to its end, and not read-only where it is written"
        }
        (CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, _) => {
            "a part of the memory is registered already: register all of it once"
        }
        (CUDA_ERROR_INVALID_VALUE, "cuInit") => "this is a defect: please report it",
        (CUDA_ERROR_INVALID_VALUE, _) => "check the arguments: one is out of range or stale",
        (CUDA_ERROR_OUT_OF_MEMORY, _) => {
            "free device memory or contexts, or ask for less (a context takes about 0.5 GiB)"
        }
        (CUDA_ERROR_NOT_INITIALIZED, "cuInit") => {
            "the driver cannot be used here; after a fork, only the parent can use it: start a new \
             program instead"
        }
        (CUDA_ERROR_NOT_INITIALIZED, _) => {
            "after a fork, only the parent can use the driver: start a new program instead"
        }
        (CUDA_ERROR_DEINITIALIZED, _) => "the process is ending: drop GPU resources earlier",
        (CUDA_ERROR_STUB_LIBRARY, _) => {
            "the program runs with the toolkit's stub: take the stubs folder off the library path"
        }
        (CUDA_ERROR_NO_DEVICE, _) if crate::driver_kind() == "software" => {
            "the software driver was told to have no device: unset CUSCOPE_SOFT_DEVICES"
        }
        (CUDA_ERROR_NO_DEVICE, _) => {
            "no CUDA device is visible: check `nvidia-smi` and CUDA_VISIBLE_DEVICES"
        }
        (CUDA_ERROR_INVALID_DEVICE, _) => {
            "ask `Device::count` how many devices there are; ordinals start at 0"
        }
        (CUDA_ERROR_DEVICE_UNAVAILABLE, _) => "another process holds the device exclusively",
        (CUDA_ERROR_INVALID_IMAGE, _) => {
            "the image is neither PTX text nor machine code for this device"
        }
        (CUDA_ERROR_INVALID_CONTEXT | CUDA_ERROR_CONTEXT_IS_DESTROYED, _) => {
            "code outside this crate destroyed, reset or popped the context"
        }
        (CUDA_ERROR_NO_BINARY_FOR_GPU, _) => "compile for this device, or ship PTX",
        (CUDA_ERROR_INVALID_PTX, _) => "mend the line that the compiler's log names",
        (CUDA_ERROR_UNSUPPORTED_PTX_VERSION, _) => {
            "the PTX is newer than the driver: compile it with an older toolkit, or update the driver"
        }
        (CUDA_ERROR_JIT_COMPILER_NOT_FOUND, _) => {
            "install libnvidia-ptxjitcompiler, which comes with the driver"
        }
        (CUDA_ERROR_FILE_NOT_FOUND, _) => "check the path",
        (CUDA_ERROR_INVALID_HANDLE, "cuEventElapsedTime") => {
            "both events must be recorded, created with timing, and of one context"
        }
        (CUDA_ERROR_INVALID_HANDLE, _) => {
            "a handle is stale or of another context: code outside this crate destroyed it"
        }
        (CUDA_ERROR_NOT_FOUND, "cuModuleGetFunction") => {
            "the module has no kernel of that name: declare it `extern \"C\"`, or pass the mangled name"
        }
        (CUDA_ERROR_NOT_FOUND, _) => "check the name",
        (CUDA_ERROR_NOT_READY, _) => "wait until the work is finished",
        (CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, _) => {
            "the block needs more registers, shared memory or arguments than there are: use a smaller one"
        }
        (CUDA_ERROR_NOT_PERMITTED, _) => {
            "the driver must not be called from a host function of a stream"
        }
        (CUDA_ERROR_NOT_SUPPORTED, _) => "this device or driver cannot do that",
        (CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, _) => {
            "libcuda and the kernel driver are of different versions"
        }
        (CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, _) => {
            "a stream that waits for the default stream is being captured: end the capture first, or \
             use streams that are `NON_BLOCKING`"
        }
        (CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED | CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, _) => {
            "a stream is being captured: end the capture first"
        }
        _ => "see the CUDA driver API manual, \"CUresult\"",
    }
}
