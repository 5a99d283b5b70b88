//! Functions on registers that run on all lanes of a warp at once: the call
//! goes through a pointer once an instruction, not once a lane.

use std::fmt;

/// A register of all lanes of a warp.
pub(crate) type Row = [u64; 32];

/// The lanes of a mask.
#[inline]
pub(crate) fn lanes(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (lane < 32).then_some(lane as usize)
    })
}

/// Runs `f` for each lane of a mask; all of them in one loop that the compiler
/// may turn into vector instructions.
#[inline(always)]
fn each(mask: u32, mut f: impl FnMut(usize)) {
    if mask == u32::MAX {
        (0..32).for_each(f);
    } else {
        lanes(mask).for_each(&mut f);
    }
}

macro_rules! functions {
    ($($(#[$doc:meta])* $lanes:ident, $name:ident: ($($x:ident),*) $word:ident;)*) => {$(
        $(#[$doc])*
        pub(crate) trait $lanes: Sync {
            /// Puts the results of some lanes into `out`, and leaves the others.
            fn eval(&self, $($x: &Row,)* mask: u32, out: &mut Row);
        }

        impl<F: Fn($($word!($x)),*) -> u64 + Sync> $lanes for F {
            fn eval(&self, $($x: &Row,)* mask: u32, out: &mut Row) {
                each(mask, |lane| out[lane] = self($($x[lane]),*));
            }
        }

        impl fmt::Debug for dyn $lanes {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(stringify!($lanes))
            }
        }

        $(#[$doc])*
        pub(crate) type $name = &'static dyn $lanes;
    )*};
}

macro_rules! word {
    ($x:ident) => {
        u64
    };
}

functions! {
    /// A function of one operand.
    Lanes1, Unary: (a) word;
    /// A function of two operands.
    Lanes2, Binary: (a, b) word;
    /// A function of three operands.
    Lanes3, Ternary: (a, b, c) word;
}
