//! Waits and writes of single values in memory, in the order of a stream.

use crate::types::*;
use core::ffi::c_uint;

/// Hands the functions of this group to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! stream_memory_ops_functions { ($with:path) => { $with! {
    /// Makes a stream wait until the 32-bit value at an address compares with `value` as `flags` says.
    11070 fn cuStreamWaitValue32_v2(stream: CUstream, addr: CUdeviceptr, value: cuuint32_t, flags: c_uint) -> CUresult;
    /// Makes a stream wait until the 64-bit value at an address compares with `value` as `flags` says.
    11070 fn cuStreamWaitValue64_v2(stream: CUstream, addr: CUdeviceptr, value: cuuint64_t, flags: c_uint) -> CUresult;
    /// Writes a 32-bit value, after all earlier writes of the stream unless `flags` says otherwise.
    11070 fn cuStreamWriteValue32_v2(stream: CUstream, addr: CUdeviceptr, value: cuuint32_t, flags: c_uint) -> CUresult;
    /// Writes a 64-bit value, after all earlier writes of the stream unless `flags` says otherwise.
    11070 fn cuStreamWriteValue64_v2(stream: CUstream, addr: CUdeviceptr, value: cuuint64_t, flags: c_uint) -> CUresult;
    /// Enqueues `count` waits, writes and barriers at once, at most 256; `flags` must be 0.
    11070 fn cuStreamBatchMemOp_v2(stream: CUstream, count: c_uint, paramArray: *mut CUstreamBatchMemOpParams, flags: c_uint) -> CUresult;
} } }
stream_memory_ops_functions!(declare);

// skipped cuStreamWaitValue32: superseded by cuStreamWaitValue32_v2
// skipped cuStreamWaitValue64: superseded by cuStreamWaitValue64_v2
// skipped cuStreamWriteValue32: superseded by cuStreamWriteValue32_v2
// skipped cuStreamWriteValue64: superseded by cuStreamWriteValue64_v2
// skipped cuStreamBatchMemOp: superseded by cuStreamBatchMemOp_v2
// skipped cuStreamWaitValue32_ptsz: the form for a default stream of each thread
// skipped cuStreamWaitValue64_ptsz: the form for a default stream of each thread
// skipped cuStreamWriteValue32_ptsz: the form for a default stream of each thread
// skipped cuStreamWriteValue64_ptsz: the form for a default stream of each thread
// skipped cuStreamBatchMemOp_ptsz: the form for a default stream of each thread
