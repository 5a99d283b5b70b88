//! The macro behind the types of flags.

use core::ffi::c_uint;
use core::fmt::{Formatter, Result};

/// Declares a type of flags, with the methods and operators of `bitflags`, for this crate and `cuscope`.
///
/// It has no other text form than `Debug`: those of `bitflags!` would make half of the time in which this crate
/// compiles. `const _ = !0;` at the end keeps bits without a name.
#[doc(hidden)]
#[macro_export]
macro_rules! flags {
    (
        $(#[$meta:meta])*
        pub struct $name:ident: $bits:ident {
            $($(#[$doc:ident $($words:tt)*])* const $constant:ident = $value:expr;)*
            $(const _ = $rest:expr;)?
        }
    ) => {
        $(#[$meta])*
        #[repr(transparent)]
        #[derive(Clone, Copy, PartialEq, Eq, Hash)]
        pub struct $name($bits);

        bitflags::bitflags! {
            impl $name: $bits {
                $($(#[$doc $($words)*])* const $constant = $value;)*
                $(const _ = $rest;)?
            }
        }

        impl core::fmt::Debug for $name {
            #[inline]
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                let named = &[$((stringify!($constant), Self::$constant.bits())),*];
                $crate::flags::debug(f, stringify!($name), self.bits(), named)
            }
        }
    };
}

/// Writes the names of the flags that `bits` has, and the bits without a name as a number: `Name(A | B | 0x10)`.
pub fn debug(f: &mut Formatter<'_>, name: &str, bits: c_uint, named: &[(&str, c_uint)]) -> Result {
    write!(f, "{name}(")?;
    let mut rest = bits;
    for (flag, value) in named {
        if bits & value == *value && rest & value != 0 {
            f.write_str(if rest == bits { "" } else { " | " })?;
            f.write_str(flag)?;
            rest &= !value;
        }
    }
    match (rest, rest == bits) {
        (0, false) => f.write_str(")"),
        (_, true) => write!(f, "{rest:#x})"),
        (_, false) => write!(f, " | {rest:#x})"),
    }
}
