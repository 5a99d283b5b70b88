//! Result codes, and what the driver calls them.

use crate::types::*;
use core::ffi::c_char;

/// Hands the functions of this group to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! result_functions {
    ($with:path) => {
        $with! {
            /// Points `pStr` at the name of a code; works before `cuInit`.
            6000 fn cuGetErrorName(error: CUresult, pStr: *mut *const c_char) -> CUresult;
            /// Points `pStr` at the description of a code; works before `cuInit`.
            6000 fn cuGetErrorString(error: CUresult, pStr: *mut *const c_char) -> CUresult;
        }
    };
}
result_functions!(declare);
