//! The software driver as a library for any program that is linked with libcuda.
//!
//! Exports every name that the driver's own library has, and those of newer versions, and forwards
//! them. The SONAME is `libcuda.so.1`: put a link of that name to the built file in a folder, and that
//! folder in `LD_LIBRARY_PATH`.
#![allow(unsafe_code, reason = "every function is one of the driver's, and forwards to another")]
#![allow(non_snake_case, reason = "the names are those of cuda.h")]

mod debugger;

use core::ffi::*;
use cuscope_softdriver::older::{self, CUdevprop};
use cuscope_softdriver::per_thread;
use cuscope_sys::*;

/// A function that forwards to one of the same name.
macro_rules! function {
    ($(#[$meta:meta])* $($path:ident)::+; $name:ident($($arg:ident: $ty:ty),*)) => {
        $(#[$meta])*
        ///
        /// # Safety
        ///
        /// As for the driver's function of the same name.
        // SAFETY: only this library has the name here, as it stands in for the driver's library.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($arg: $ty),*) -> CUresult {
            // SAFETY: the same function with the same arguments; the caller promises what the
            // driver's function asks for, and the software driver's asks for no more.
            unsafe { $($path)::+::$name($($arg),*) }
        }
    };
}

/// The form of a function for the calling thread's default stream.
macro_rules! form {
    ($name:ident $suffix:literal ($($arg:ident: $ty:ty),*)) => {
        const _: () = {
            #[doc = concat!("`", stringify!($name), "` for the default stream of each thread.")]
            ///
            /// # Safety
            ///
            /// As for that.
            // SAFETY: as above.
            #[unsafe(export_name = concat!(stringify!($name), $suffix))]
            unsafe extern "C" fn form($($arg: $ty),*) -> CUresult {
                // SAFETY: as above.
                unsafe { per_thread::forms::$name($($arg),*) }
            }
        };
    };
}

macro_rules! declared {
    ($($(#[$meta:meta])* $since:literal fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty;)*) => { $(
        function! { $(#[$meta])* cuscope_softdriver; $name($($arg: $ty),*) }
        cuscope_softdriver::if_per_thread! { form $name ($($arg: $ty),*) }
    )* };
}
cuscope_sys::driver_functions!(declared);
cuscope_sys::newer_functions!(declared);

macro_rules! older {
    ($($name:ident($($arg:ident: $ty:ty),* $(,)?);)*) => { $(
        function! { /** An older form. */ older; $name($($arg: $ty),*) }
    )* };
}
cuscope_softdriver::older_functions!(older);

macro_rules! older_per_thread {
    ($($name:ident $suffix:literal ($($arg:ident: $ty:ty),* $(,)?);)*) => { $(
        form! { $name $suffix ($($arg: $ty),*) }
    )* };
}
cuscope_softdriver::older_per_thread!(older_per_thread);

macro_rules! others {
    ($($name:ident)*) => { $(
        /// Not implemented: NOT_SUPPORTED.
        // SAFETY: as above.
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() -> CUresult {
            older::$name()
        }
    )* };
}
cuscope_softdriver::other_names!(others);
