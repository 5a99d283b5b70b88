//! Functions on registers that run on all lanes of a warp at once: the call
//! goes through a pointer once an instruction, not once a lane.
//!
//! There are hundreds of functions, and for each the loops are compiled anew, so that these are plain: without
//! closures, which took a third of the time in which the crate compiles, and without iterators, which tests would
//! call once a lane.

use std::fmt;

/// A register of all lanes of a warp.
pub type Row = [u64; 32];

/// The lanes that [`Lanes2::run`] and its like hold in registers of the processor at a time.
#[cfg(target_arch = "x86_64")]
const PART: usize = 8;

/// The words of the lanes from one on.
#[cfg(target_arch = "x86_64")]
#[inline]
fn part(row: &Row, at: usize) -> [u64; PART] {
    let row = &row[at..at + PART];
    [row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7]]
}

/// The lanes of a mask.
#[inline]
pub fn lanes(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (lane < 32).then_some(lane as usize)
    })
}

macro_rules! functions {
    ($($(#[$doc:meta])* $lanes:ident, $name:ident: ($($x:ident),*) $word:ident;)*) => {$(
        $(#[$doc])*
        pub(crate) trait $lanes: Sync {
            /// Puts the results of some lanes into `out`, and leaves the others.
            fn eval(&self, $($x: &Row,)* mask: u32, out: &mut Row);

            /// Puts the results of all lanes into one of the rows, which may be one of
            /// the operands. Panics if there is no such row.
            fn run(&self, rows: &mut [Row], d: usize, $($x: usize),*);
        }

        impl<F: Fn($($word!($x)),*) -> u64 + Sync> $lanes for F {
            fn eval(&self, $($x: &Row,)* mask: u32, out: &mut Row) {
                // All of them in one loop that the compiler may turn into vector instructions.
                if mask == u32::MAX {
                    let mut lane = 0;
                    while lane < 32 {
                        out[lane] = self($($x[lane]),*);
                        lane += 1;
                    }
                } else {
                    for lane in lanes(mask) {
                        out[lane] = self($($x[lane]),*);
                    }
                }
            }

            #[allow(unsafe_code, reason = "the processor is asked for its features before they are used")]
            fn run(&self, rows: &mut [Row], d: usize, $($x: usize),*) {
                #[cfg(target_arch = "x86_64")]
                #[target_feature(enable = "avx2,fma")]
                fn vectors<F: Fn($($word!($x)),*) -> u64>(
                    f: &F, rows: &mut [Row], d: usize, $($x: usize),*
                ) {
                    let count = rows.len();
                    assert!(d < count $(&& $x < count)*, "a register of the warp");
                    let mut at = 0;
                    while at < 32 {
                        $(let $x = part(&rows[$x], at);)*
                        let (mut out, mut i) = ([0; PART], 0);
                        while i < PART {
                            out[i] = f($($x[i]),*);
                            i += 1;
                        }
                        rows[d][at..at + PART].copy_from_slice(&out);
                        at += PART;
                    }
                }

                #[cfg(target_arch = "x86_64")]
                if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                    // SAFETY: the processor has the features.
                    return unsafe { vectors(self, rows, d, $($x),*) };
                }
                let mut out = [0; 32];
                self.eval($(&rows[$x],)* u32::MAX, &mut out);
                rows[d] = out;
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
