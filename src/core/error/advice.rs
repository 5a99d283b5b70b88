//! Advice for each error code.

use super::name;
use ffi::*;

/// Returns whether the process has lost the GPU after this code ([F60](crate::driver_facts#F60),
/// [F85](crate::driver_facts#F85)). For each of these codes the CUDA driver API, "CUresult", says that "the
/// process must be terminated and relaunched". For ASSERT it says that the context cannot be used any more.
pub(crate) fn is_sticky(code: CUresult) -> bool {
    matches!(
        code,
        CUDA_ERROR_CONTAINED
            | CUDA_ERROR_ILLEGAL_ADDRESS
            | CUDA_ERROR_LAUNCH_TIMEOUT
            | CUDA_ERROR_ASSERT
            | CUDA_ERROR_HARDWARE_STACK_ERROR
            | CUDA_ERROR_ILLEGAL_INSTRUCTION
            | CUDA_ERROR_MISALIGNED_ADDRESS
            | CUDA_ERROR_INVALID_ADDRESS_SPACE
            | CUDA_ERROR_INVALID_PC
            | CUDA_ERROR_LAUNCH_FAILED
            | CUDA_ERROR_TENSOR_MEMORY_LEAK
            | CUDA_ERROR_MPS_CLIENT_TERMINATED
            | CUDA_ERROR_EXTERNAL_DEVICE
    )
}

/// Returns whether a context is of no more use after this code: the process has lost the GPU ([`is_sticky`]), memory had an
/// error that was not corrected, or the context is gone.
#[inline]
pub(crate) fn is_poisoned(code: CUresult) -> bool {
    is_sticky(code)
        || matches!(code, CUDA_ERROR_ECC_UNCORRECTABLE | CUDA_ERROR_CONTEXT_IS_DESTROYED)
}

/// The codes that prove that a call did nothing, each with the words of `cuda.h` that say so. They are about
/// the call itself, never about earlier work, and exclude that it enqueued anything.
const NOT_TAKEN: [(CUresult, &str); 16] = [
    (CUDA_ERROR_INVALID_VALUE, "is not within an acceptable range of values"),
    (
        CUDA_ERROR_OUT_OF_MEMORY,
        "unable to allocate enough memory or other resources to perform the requested operation",
    ),
    (CUDA_ERROR_NOT_INITIALIZED, "the CUDA driver has not been initialized"),
    (CUDA_ERROR_INVALID_CONTEXT, "there is no context bound to the current thread"),
    (CUDA_ERROR_INVALID_HANDLE, "a resource handle passed to the API call was not valid"),
    (CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "a launch did not occur"),
    (CUDA_ERROR_NOT_PERMITTED, "the attempted operation is not permitted"),
    (CUDA_ERROR_NOT_SUPPORTED, "the attempted operation is not supported"),
    (
        CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
        "the operation is not permitted when the stream is capturing",
    ),
    (
        CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
        "the current capture sequence on the stream has been invalidated",
    ),
    (CUDA_ERROR_STREAM_CAPTURE_MERGE, "the operation would have resulted in a merge"),
    (CUDA_ERROR_STREAM_CAPTURE_ISOLATION, "a dependency would have been created"),
    (CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, "a disallowed implicit dependency"),
    (CUDA_ERROR_CAPTURED_EVENT, "the operation is not permitted on an event"),
    (CUDA_ERROR_STREAM_DETACHED, "the requested operation is not permitted"),
    (
        CUDA_ERROR_FUNCTION_NOT_LOADED,
        "a function handle is not loaded when calling an API that requires a loaded function",
    ),
];

/// Returns whether a call that should have enqueued something, and returned this code, enqueued nothing. Any
/// other error may come from earlier work (CUDA driver API: "may also return error codes from previous,
/// asynchronous launches"), or may be new in a newer driver. The work may then run.
pub(crate) fn means_not_taken(code: CUresult) -> bool {
    NOT_TAKEN.iter().any(|(one, _)| *one == code)
}

/// Returns one sentence of advice for the reader of the message.
pub(super) fn for_call(call: &str, code: CUresult) -> &'static str {
    const INIT: &str = name!(cuInit);
    const LAUNCH: &str = name!(cuLaunchKernel);
    const LAUNCH_EX: &str = name!(cuLaunchKernelEx);
    const UPLOAD: &str = name!(cuMemcpyHtoDAsync_v2);
    const DOWNLOAD: &str = name!(cuMemcpyDtoHAsync_v2);
    const COPY: &str = name!(cuMemcpyDtoDAsync_v2);
    const FILL8: &str = name!(cuMemsetD8Async);
    const FILL16: &str = name!(cuMemsetD16Async);
    const FILL32: &str = name!(cuMemsetD32Async);
    const REGISTER: &str = name!(cuMemHostRegister_v2);
    const HOST_ALLOC: &str = name!(cuMemHostAlloc);
    const CHUNKS: &str = "ScopedBuffer::chunks";
    const ELAPSED: &str = name!(cuEventElapsedTime);
    const GET_FUNCTION: &str = name!(cuModuleGetFunction);
    const P2P: &str = name!(cuDeviceGetP2PAttribute);
    const POOL_ACCESS: &str = name!(cuMemPoolSetAccess);
    match (code, call) {
        (CUDA_ERROR_MPS_CLIENT_TERMINATED, _) => {
            "the MPS server ended this client, which can no longer use the GPU: end the process, \
             and read the server's log"
        }
        (CUDA_ERROR_CONTAINED | CUDA_ERROR_EXTERNAL_DEVICE, _) => {
            "a device failed, maybe in an earlier call, and this process can no longer use the \
             GPU: end the process, and check the GPUs and their connections"
        }
        _ if is_sticky(code) => {
            "a kernel faulted, maybe in an earlier call, and this process can no longer use the \
             GPU: end the process, and run the kernel under compute-sanitizer to find the fault"
        }
        (CUDA_ERROR_INVALID_VALUE, LAUNCH | LAUNCH_EX) => {
            "check that every dimension of the grid and the block is at least 1, that the grid, \
             the block and the shared memory are within the device's limits, that the arguments \
             match the kernel's parameters, and that the driver supports the attributes"
        }
        (CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, _) => {
            "launch at most as many blocks as `Occupancy::cooperative_blocks` returns"
        }
        (CUDA_ERROR_INVALID_CLUSTER_SIZE, _) => {
            "the grid must consist of whole clusters, each of at most as many blocks as \
             `Occupancy::max_cluster_size` returns"
        }
        (CUDA_ERROR_NOT_SUPPORTED, LAUNCH_EX) => {
            "create the events of a launch with `DISABLE_TIMING`, and the launch completion event \
             also without `BLOCKING_SYNC`"
        }
        (CUDA_ERROR_INVALID_VALUE, UPLOAD | DOWNLOAD) => {
            "check that the buffer is alive; if it is of a pool, as those of ordered streams are, a \
             context of its device must be current, or none; if the first byte of the host memory is \
             registered, all of it must be, and not as read-only memory if the copy writes it"
        }
        (CUDA_ERROR_INVALID_VALUE, FILL8 | FILL16 | FILL32) => {
            "check that the buffer is alive; if its memory was mapped by hand, the device needs access to all of it: call \
             `Reservation::set_access`"
        }
        (CUDA_ERROR_INVALID_VALUE, COPY) => {
            "check that both buffers are alive; if one is of a pool, as those of ordered streams are, a \
             context of its device must be current, or none"
        }
        (CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, _) => {
            "part of the memory is already registered: register all of it in one call"
        }
        (CUDA_ERROR_INVALID_VALUE, INIT) => "this is a bug: please report it",
        (CUDA_ERROR_INVALID_VALUE | CUDA_ERROR_INVALID_DEVICE, POOL_ACCESS) => {
            "a pool's own device keeps its access, and another device must be one for which \
             `Device::can_access_peer` returns true"
        }
        (CUDA_ERROR_INVALID_VALUE, _) => {
            "check the arguments: one of them is out of range or no longer valid"
        }
        (CUDA_ERROR_OUT_OF_MEMORY, DOWNLOAD | REGISTER | HOST_ALLOC | CHUNKS) => {
            "the host does not have as much memory: free some, or request less at once"
        }
        (CUDA_ERROR_OUT_OF_MEMORY, _) => {
            "free device memory, destroy contexts, or request less memory (a context takes about \
             0.5 GiB)"
        }
        (CUDA_ERROR_OPERATING_SYSTEM, INIT) => {
            "the driver cannot do without something of the system: mend what is named, or check that its kernel module is \
             loaded and that /dev/nvidia* can be opened"
        }
        (CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, _) => {
            "the library that was loaded as the driver does not have this function: update NVIDIA's driver, or remove \
             another libcuda from the library path"
        }
        (CUDA_ERROR_INVALID_DEVICE, INIT) => {
            "CUDA_VISIBLE_DEVICES lists a device twice: list each once"
        }
        (CUDA_ERROR_NOT_INITIALIZED, INIT) => {
            "this process cannot use the driver; after a fork, only the parent can use it: start a \
             new program instead"
        }
        (CUDA_ERROR_NOT_INITIALIZED, _) => {
            "after a fork, only the parent can use the driver: start a new program instead"
        }
        (CUDA_ERROR_DEINITIALIZED, _) => "the process is ending: drop GPU resources earlier",
        (CUDA_ERROR_STUB_LIBRARY, _) => {
            "the program loaded the toolkit's stub library: remove the stubs folder from the \
             library path"
        }
        (CUDA_ERROR_NO_DEVICE, _) if ffi::DRIVER == "software" => {
            "CUDA_VISIBLE_DEVICES or CUSCOPE_SOFT_DEVICES leaves the software driver no device: unset the one that is set, or \
             name a device that there is"
        }
        (CUDA_ERROR_NO_DEVICE, _) => {
            "no CUDA device is visible: check `nvidia-smi` and CUDA_VISIBLE_DEVICES"
        }
        (CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, _) => {
            "the context already has access to the memory of the other one: enable it once"
        }
        (CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, _) => {
            "the context has no access to the memory of the other one: call `enable_peer_access` first, \
             on a guard of this context"
        }
        (CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, _) => {
            "the contexts belong to one device, or `Device::can_access_peer` returns false for their \
             devices: copies between contexts need no access"
        }
        (CUDA_ERROR_TOO_MANY_PEERS, _) => {
            "the device has access to as many others as it can: call `disable_peer_access` for one of them"
        }
        (CUDA_ERROR_INVALID_DEVICE, P2P) => "a device has no link with itself: name two devices",
        (CUDA_ERROR_INVALID_DEVICE, _) => {
            "ordinals start at 0, and `Device::count` returns the number of devices"
        }
        (CUDA_ERROR_DEVICE_UNAVAILABLE, _) => "another process uses the device exclusively",
        (CUDA_ERROR_INVALID_IMAGE, _) => {
            "the image is neither PTX text nor machine code for this device"
        }
        (CUDA_ERROR_INVALID_CONTEXT | CUDA_ERROR_CONTEXT_IS_DESTROYED, _) => {
            "code outside this crate destroyed, reset or popped the context"
        }
        (CUDA_ERROR_NO_BINARY_FOR_GPU, _) => "compile for this device, or include PTX",
        (CUDA_ERROR_INVALID_PTX, _) => "fix the line that the compiler's log names",
        (CUDA_ERROR_UNSUPPORTED_PTX_VERSION, _) => {
            "the PTX is newer than the driver: compile it with an older toolkit, or update the driver"
        }
        (CUDA_ERROR_JIT_COMPILER_NOT_FOUND, _) => {
            "install libnvidia-ptxjitcompiler, which comes with the driver"
        }
        (CUDA_ERROR_FILE_NOT_FOUND, _) => "check the path",
        (CUDA_ERROR_INVALID_HANDLE, ELAPSED) => {
            "both events must be created with timing in the same context, and recorded"
        }
        (CUDA_ERROR_INVALID_HANDLE, _) => {
            "a handle is no longer valid or belongs to another context: code outside this crate \
             may have destroyed it"
        }
        (CUDA_ERROR_NOT_FOUND, GET_FUNCTION) => {
            "the module has no kernel with that name: declare it `extern \"C\"`, or pass the \
             mangled name"
        }
        (CUDA_ERROR_NOT_FOUND, _) => "check the name",
        (CUDA_ERROR_NOT_READY, _) => "wait until the work is complete",
        (CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, _) => {
            "the block needs more registers, shared memory or arguments than the device has: \
             launch smaller blocks"
        }
        (CUDA_ERROR_NOT_PERMITTED, _) => "do not call the driver from a host function",
        (CUDA_ERROR_NOT_SUPPORTED, _) => "this device or driver does not support the operation",
        (CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, _) => {
            "libcuda and the kernel driver have different versions"
        }
        (CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, _) => {
            "a stream that waits for the default stream is being captured: end the capture first, \
             or use `NON_BLOCKING` streams"
        }
        (CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, _) => {
            "a stream is being captured: end the capture first"
        }
        (CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, _) => {
            "an earlier call, maybe of other code, spoilt the capture: end it, and capture again without that call"
        }
        (CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY, _) => {
            "a context has an affinity under the multi-process service (MPS) alone: create it without one, or create a \
             green context of a part of `Device::sm_resource`"
        }
        _ => "see the CUDA driver API manual, \"CUresult\"",
    }
}

#[cfg(test)]
#[path = "../../../tests/common/skipped.rs"]
mod skipped;

#[cfg(test)]
mod tests {
    use super::skipped::skipped;
    use super::*;
    use std::collections::BTreeMap;
    use std::{env, fs};

    /// Returns the codes of the newest `cuda.h` in the folders of `CUDA_INCLUDE` (`.ci/headers.sh`), with the
    /// comment of each on one line.
    fn header() -> Option<BTreeMap<u32, String>> {
        let Some(folders) = env::var_os("CUDA_INCLUDE").filter(|value| !value.is_empty()) else {
            skipped(
                "error::advice",
                "CUDA_INCLUDE does not name folders of cuda.h, separated by colons",
            );
            return None;
        };
        let headers = env::split_paths(&folders).map(|folder| {
            let text = fs::read_to_string(folder.join("cuda.h")).expect("a folder of cuda.h");
            let version = text.split_once("#define CUDA_VERSION ").expect("a version").1;
            let digits = version.trim().split(|c: char| !c.is_ascii_digit()).next();
            (digits.and_then(|digits| digits.parse::<u32>().ok()).expect("a number"), text)
        });
        let (_, newest) = headers.max_by_key(|(version, _)| *version).expect("a header");
        let codes = newest.split_once("typedef enum cudaError_enum {").expect("the codes").1;
        let codes = codes.split_once("} CUresult;").expect("their end").0;
        let (mut found, mut comment) = (BTreeMap::new(), String::new());
        for line in codes.lines() {
            let line = line.trim().trim_start_matches(['/', '*', ' ']);
            match line.strip_prefix("CUDA_").and_then(|line| line.split_once('=')) {
                Some((_, code)) => {
                    let code = code.trim().trim_end_matches(',').parse().expect("a code");
                    found.insert(code, std::mem::take(&mut comment));
                }
                None => comment = [comment.trim(), line].join(" "),
            }
        }
        Some(found)
    }

    #[test]
    fn a_call_has_advice_of_its_own_and_other_calls_the_general_one() {
        for (call, code, words) in [
            (name!(cuInit), CUDA_ERROR_INVALID_VALUE, "this is a bug"),
            (name!(cuLaunchKernel), CUDA_ERROR_INVALID_VALUE, "every dimension of the grid"),
            (name!(cuLaunchKernelEx), CUDA_ERROR_INVALID_VALUE, "every dimension of the grid"),
            (name!(cuMemPoolSetAccess), CUDA_ERROR_INVALID_VALUE, "keeps its access"),
            (name!(cuMemPoolSetAccess), CUDA_ERROR_INVALID_DEVICE, "keeps its access"),
            (name!(cuDeviceGetP2PAttribute), CUDA_ERROR_INVALID_DEVICE, "no link with itself"),
            (name!(cuDeviceGet), CUDA_ERROR_INVALID_DEVICE, "ordinals start at 0"),
            (name!(cuEventElapsedTime), CUDA_ERROR_INVALID_HANDLE, "both events"),
            (name!(cuEventRecord), CUDA_ERROR_INVALID_HANDLE, "a handle is no longer valid"),
            (name!(cuModuleGetFunction), CUDA_ERROR_NOT_FOUND, "the mangled name"),
            (name!(cuModuleGetGlobal_v2), CUDA_ERROR_NOT_FOUND, "check the name"),
            (
                name!(cuLaunchKernelEx),
                CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
                "`Occupancy::cooperative_blocks`",
            ),
            (name!(cuModuleLoadDataEx), CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "update the driver"),
            (name!(cuMemGetInfo_v2), CUDA_ERROR_INVALID_VALUE, "check the arguments"),
            (name!(cuMemGetInfo_v2), CUresult(54_321), "driver API manual"),
        ] {
            let advice = for_call(call, code);
            assert!(advice.contains(words), "{call}, {code:?}: {words:?} is not in: {advice}");
        }
    }

    #[test]
    fn a_fault_poisons_a_context_and_so_does_memory_with_an_error_or_its_end() {
        let mut poisoned = sticky();
        poisoned.extend([214, 709]);
        poisoned.sort_unstable();
        let codes: Vec<u32> = (0..1000).filter(|&code| is_poisoned(CUresult(code))).collect();
        assert_eq!(codes, poisoned);
    }

    fn sticky() -> Vec<u32> {
        (0..1000).filter(|&code| is_sticky(CUresult(code))).collect()
    }

    #[test]
    fn sticky_are_the_codes_that_end_a_process() {
        let expected = [226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721, 810, 911];
        assert_eq!(sticky(), expected);
    }

    #[test]
    fn sticky_are_the_codes_of_which_the_header_says_so() {
        let Some(header) = header() else { return };
        let ends = |text: &str| text.contains("the process must be terminated and relaunched");
        let assert = [CUDA_ERROR_ASSERT.0]; // "The context cannot be used anymore"
        let mut said: Vec<u32> = header
            .iter()
            .filter(|(_, text)| ends(text))
            .map(|(&code, _)| code)
            .chain(assert)
            .collect();
        said.sort_unstable();
        assert_eq!(sticky(), said);
    }

    #[test]
    fn few_codes_prove_that_a_call_enqueued_nothing() {
        let codes: Vec<u32> = (0..1000).filter(|&code| means_not_taken(CUresult(code))).collect();
        assert_eq!(
            codes,
            [1, 2, 3, 201, 400, 701, 800, 801, 900, 901, 902, 905, 906, 907, 913, 917]
        );
        assert!(!codes.iter().any(|code| sticky().contains(code)), "of earlier work");
    }

    #[test]
    fn codes_of_calls_that_enqueued_nothing_are_those_of_the_header() {
        let Some(header) = header() else { return };
        for (code, words) in NOT_TAKEN {
            let text = &header[&code.0];
            assert!(text.contains(words), "{}: {words}: is not in: {text}", code.0);
        }
    }

    #[test]
    fn codes_that_only_some_machines_give_have_advice() {
        for (code, words) in [
            (CUDA_ERROR_TOO_MANY_PEERS, "disable_peer_access"),
            (CUDA_ERROR_JIT_COMPILER_NOT_FOUND, "libnvidia-ptxjitcompiler"),
            (CUDA_ERROR_INVALID_HANDLE, "no longer valid"),
            (CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, "different versions"),
        ] {
            let advice = for_call(name!(cuMemFree_v2), code);
            assert!(advice.contains(words), "{advice}");
        }
    }

    #[test]
    fn each_reason_has_its_own_advice() {
        let upload = name!(cuMemcpyHtoDAsync_v2);
        let mut seen = Vec::new();
        for (code, call, words) in [
            (CUDA_ERROR_MPS_CLIENT_TERMINATED, "", "the MPS server"),
            (CUDA_ERROR_CONTAINED, "", "check the GPUs"),
            (CUDA_ERROR_INVALID_VALUE, upload, "the buffer is alive"),
            (CUDA_ERROR_INVALID_VALUE, name!(cuMemcpyDtoDAsync_v2), "both buffers are alive"),
            (CUDA_ERROR_INVALID_VALUE, name!(cuMemsetD16Async), "Reservation::set_access"),
            (CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, "", "already registered"),
            (CUDA_ERROR_NOT_INITIALIZED, name!(cuInit), "only the parent can use it"),
            (CUDA_ERROR_NOT_INITIALIZED, "", "only the parent can use the driver"),
            (CUDA_ERROR_OPERATING_SYSTEM, name!(cuInit), "kernel module"),
            (CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, "", "another libcuda"),
            (CUDA_ERROR_INVALID_DEVICE, name!(cuInit), "lists a device twice"),
            (CUDA_ERROR_DEINITIALIZED, "", "earlier"),
            (CUDA_ERROR_STUB_LIBRARY, "", "stub library"),
            (CUDA_ERROR_DEVICE_UNAVAILABLE, "", "exclusively"),
            (CUDA_ERROR_INVALID_IMAGE, "", "neither PTX text"),
            (CUDA_ERROR_NO_BINARY_FOR_GPU, "", "include PTX"),
            (CUDA_ERROR_FILE_NOT_FOUND, "", "path"),
            (CUDA_ERROR_NOT_FOUND, "", "name"),
            (CUDA_ERROR_NOT_READY, "", "wait until"),
            (CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "", "smaller blocks"),
            (CUDA_ERROR_NOT_PERMITTED, "", "host function"),
            (CUDA_ERROR_NOT_SUPPORTED, "", "does not support"),
            (CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, "", "different versions"),
            (CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, "", "NON_BLOCKING"),
            (CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "", "end the capture first"),
            (CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "", "capture again"),
        ] {
            let advice = for_call(call, code);
            assert!(advice.contains(words), "{code:?} of {call:?}: {advice}");
            seen.push(advice);
        }
        let all = seen.len();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), all, "two of them say the same");
    }
}
