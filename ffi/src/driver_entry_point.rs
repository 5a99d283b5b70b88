//! Functions of the driver by name.

use crate::types::*;
use core::ffi::{c_char, c_int, c_void};

/// Hands the functions of this group to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! driver_entry_point_functions { ($with:path) => { $with! {
    /// The function of a name, without suffix, as CUDA `cudaVersion` had it; `symbolStatus` may be null.
    12000 fn cuGetProcAddress_v2(symbol: *const c_char, pfn: *mut *mut c_void, cudaVersion: c_int, flags: cuuint64_t, symbolStatus: *mut CUdriverProcAddressQueryResult) -> CUresult;
    /// A table of undocumented functions, by its identity.
    3000 fn cuGetExportTable(ppExportTable: *mut *const c_void, pExportTableId: *const CUuuid) -> CUresult;
} } }
driver_entry_point_functions!(declare);

// skipped cuGetProcAddress: superseded by cuGetProcAddress_v2
