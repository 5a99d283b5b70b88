//! The symbols: each declared function under its prefixed name, `cuscope_soft_cuInit`.
#![allow(unsafe_code, reason = "symbols have names of their own, and forward to functions of C")]

use core::ffi::*;
use cuscope_sys::*;

macro_rules! export {
    ($($(#[$meta:meta])* $since:literal fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty;)*) => { $(
        const _: () = {
            // SAFETY: the prefix is this library's own, so that no other symbol has the name.
            #[unsafe(export_name = concat!("cuscope_soft_", stringify!($name)))]
            unsafe extern "C" fn exported($($arg: $ty),*) -> $ret {
                // SAFETY: the same function with the same arguments, of which the caller promises
                // what the driver's function asks for.
                unsafe { crate::$name($($arg),*) }
            }
        };
    )* };
}
cuscope_sys::driver_functions!(export);
cuscope_sys::newer_functions!(export);
