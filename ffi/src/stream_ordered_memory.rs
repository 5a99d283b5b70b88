//! Memory that is allocated and freed in the order of a stream.

use crate::{CUdeviceptr, CUresult, CUstream};

/// Hands the functions of this group to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! stream_ordered_memory_functions { ($with:path) => { $with! {
    /// Allocates from the device's pool, usable behind this point of the stream. Since 11.2.
    fn cuMemAllocAsync(dptr: *mut CUdeviceptr, bytesize: usize, hStream: CUstream) -> CUresult;
    /// Frees behind what the stream holds so far. Since 11.2.
    fn cuMemFreeAsync(dptr: CUdeviceptr, hStream: CUstream) -> CUresult;
} } }
stream_ordered_memory_functions!(declare);
