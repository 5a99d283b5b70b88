//! The software driver as a library for any program that is linked with libcuda.
//!
//! Exports the functions under the driver's own names and forwards them. The SONAME is
//! `libcuda.so.1`: put a link of that name to the built file in a folder, and that folder in
//! `LD_LIBRARY_PATH`.
#![allow(unsafe_code, reason = "every function is one of the driver's, and forwards to another")]
#![allow(non_snake_case, reason = "the names are those of cuda.h")]

use core::ffi::*;
use cuscope_sys::*;

macro_rules! forward {
    ($($(#[$meta:meta])* $since:literal fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty;)*) => { $(
        $(#[$meta])*
        ///
        /// # Safety
        ///
        /// As for the driver's function of the same name.
        // SAFETY: only this library has the name here, as it stands in for the driver's library.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($arg: $ty),*) -> $ret {
            // SAFETY: the same function with the same arguments; the caller promises what the
            // driver's function asks for, and the software driver's asks for no more.
            unsafe { cuscope_softdriver::$name($($arg),*) }
        }
    )* };
}
cuscope_sys::driver_functions!(forward);
cuscope_sys::newer_functions!(forward);
