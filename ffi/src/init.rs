//! Initialisation and version.

use crate::types::*;
use core::ffi::{c_int, c_uint};

/// Hands the functions of this group to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! init_functions {
    ($with:path) => {
        $with! {
            /// Initialises the driver for this process; `Flags` must be 0. Again is harmless.
            2000 fn cuInit(Flags: c_uint) -> CUresult;
            /// The version of CUDA that the driver supports: 1000 x major + 10 x minor. Works before `cuInit`.
            2020 fn cuDriverGetVersion(driverVersion: *mut c_int) -> CUresult;
        }
    };
}
init_functions!(declare);
