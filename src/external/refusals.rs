//! The reasons for which the driver refuses what other interfaces exported.

use ffi::CUresult;

const CAPTURED: &str = "other code captures a stream, and the driver imports nothing meanwhile: import before, or end the \
                        capture first";

/// Returns why memory of so many bytes was not imported.
#[cold]
#[inline]
pub(super) fn memory(bytes: u64, code: CUresult) -> Option<String> {
    let reason = match code {
        ffi::CUDA_ERROR_INVALID_VALUE if bytes == 0 => {
            "the size is 0: pass the size with which the other interface allocated the memory"
        }
        ffi::CUDA_ERROR_UNKNOWN => {
            "the handle is none of memory, or of another kind than was said: pass the one that the other \
             interface exported for this kind"
        }
        ffi::CUDA_ERROR_NOT_SUPPORTED => "this system has no handles of memory of this kind",
        ffi::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED => CAPTURED,
        _ => return None,
    };
    Some(reason.to_owned())
}

/// Returns why a semaphore was not imported.
#[cold]
#[inline]
pub(super) fn semaphore(code: CUresult) -> Option<String> {
    let reason = match code {
        ffi::CUDA_ERROR_INVALID_VALUE | ffi::CUDA_ERROR_UNKNOWN => {
            "the handle is none of a semaphore, or of another kind than was said: pass the one that the other \
             interface exported for this kind"
        }
        ffi::CUDA_ERROR_NOT_SUPPORTED => "this system has no handles of semaphores of this kind",
        ffi::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED => CAPTURED,
        _ => return None,
    };
    Some(reason.to_owned())
}
