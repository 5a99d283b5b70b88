//! Every function of the driver, answering NOT_SUPPORTED (801).
//!
//! The crate root names what is implemented, which goes before what it takes from here as a whole. So
//! a function that `cuscope-sys` declares is always there to be linked.
#![allow(unsafe_code, reason = "the functions are declared `unsafe`, and do nothing that is")]
#![allow(
    dead_code,
    unreachable_pub,
    reason = "what is implemented elsewhere is not taken from here"
)]

use crate::call::call;
use crate::rules::Rules;
use core::ffi::*;
use cuscope_sys::*;

macro_rules! unsupported {
    ($($(#[$meta:meta])* $since:literal fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty;)*) => { $(
        $(#[$meta])*
        ///
        /// Not implemented: NOT_SUPPORTED.
        ///
        /// # Safety
        ///
        /// None: it looks at nothing.
        pub unsafe extern "C" fn $name($(_: $ty),*) -> $ret {
            static RULES: Rules = Rules::of(stringify!($name), 0);
            call(&RULES, &[], &mut || Err(CUDA_ERROR_NOT_SUPPORTED))
        }
    )* };
}
cuscope_sys::driver_functions!(unsupported);
cuscope_sys::newer_functions!(unsupported);
