//! Loops over the lanes of a warp for the vector instructions that the processor has.

use super::Row;

/// A function whose loops are compiled twice: for any processor, and with vectors
/// of 256 bits. What it calls has to be inlined to have both.
macro_rules! wide {
    (
        $(#[$doc:meta])*
        $visible:vis fn $name:ident $([$($generics:tt)*])? ($($x:ident: $t:ty),* $(,)?) $(-> $r:ty)? $body:block
    ) => {
        $(#[$doc])*
        #[inline]
        #[allow(unsafe_code, reason = "the processor is asked for its features before they are used")]
        $visible fn $name $(<$($generics)*>)? ($($x: $t),*) $(-> $r)? {
            #[inline(always)]
            fn body $(<$($generics)*>)? ($($x: $t),*) $(-> $r)? $body

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma")]
            fn vectors $(<$($generics)*>)? ($($x: $t),*) $(-> $r)? {
                body($($x),*)
            }

            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                // SAFETY: the processor has the features.
                return unsafe { vectors($($x),*) };
            }
            body($($x),*)
        }
    };
}

pub(in super::super) use wide;

wide! {
    /// The lanes whose lowest bit is set.
    pub(crate) fn held(row: &Row) -> u32 {
        (0..32).fold(0, |all, lane| all | ((row[lane] & 1) as u32) << lane)
    }
}

wide! {
    /// Whether all values are the same.
    pub(crate) fn alike(values: &[u32; 32]) -> bool {
        values.iter().fold(0, |differ, value| differ | (value ^ values[0])) == 0
    }
}

/// How words of all lanes lie to one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pattern {
    /// One after the other.
    Run,
    /// All at one place.
    Same,
    /// In another way.
    Other,
}

wide! {
    /// Adds to the addresses of all lanes. Gives the bits that some have set, and how words of a size lie there.
    pub(crate) fn moved(from: &Row, by: u64, size: u64, to: &mut Row) -> (u64, Pattern) {
        let (mut bits, mut jumps, mut differ) = (0, 0, 0);
        for (lane, (to, address)) in to.iter_mut().zip(from).enumerate() {
            *to = address.wrapping_add(by);
            bits |= *to;
            jumps |= address ^ from[0].wrapping_add(lane as u64 * size);
            differ |= address ^ from[0];
        }
        match (jumps, differ) {
            (0, _) => (bits, Pattern::Run),
            (_, 0) => (bits, Pattern::Same),
            _ => (bits, Pattern::Other),
        }
    }
}

/// How the values of a register lie: in each half of the warp a step apart, or in another way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// The first of either half.
    pub(crate) starts: [u64; 2],
    /// From one to the next; none if that differs.
    pub(crate) step: Option<u64>,
}

wide! {
    /// The shape of a register.
    pub(crate) fn shape(row: &Row) -> Shape {
        let (starts, step) = ([row[0], row[16]], row[1].wrapping_sub(row[0]));
        let mut differ = 0;
        for (lane, value) in row.iter().enumerate() {
            differ |= value ^ starts[lane / 16].wrapping_add((lane as u64 % 16).wrapping_mul(step));
        }
        Shape { starts, step: (differ == 0).then_some(step) }
    }
}

/// How the addresses of all lanes lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lie {
    /// Not all within the range, or not all multiples of the size.
    Beyond,
    /// One word after the other.
    Run,
    /// Anywhere within it.
    Within,
}

wide! {
    /// How the addresses of words of a size, which is a power of two, lie in a range from `base`, whose last word
    /// begins at the offset `last`.
    pub fn lie(at: &Row, base: u64, last: u64, size: u64) -> Lie {
        let (mut beyond, mut odd, mut jumps) = (false, 0, 0);
        for (lane, address) in at.iter().enumerate() {
            let offset = address.wrapping_sub(base);
            beyond |= offset > last;
            odd |= offset & (size - 1);
            jumps |= address ^ at[0].wrapping_add(lane as u64 * size);
        }
        match (beyond || odd != 0, jumps) {
            (true, _) => Lie::Beyond,
            (_, 0) => Lie::Run,
            _ => Lie::Within,
        }
    }
}
