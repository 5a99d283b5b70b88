//! Video instructions: arithmetic of selected bytes and halves, and of two or four parts of a word at once.

/// The operation on each pair of parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    Add,
    Sub,
    Distance,
    Least,
    Most,
    Average,
    /// A shift, of which only the last five bits may count.
    ShiftLeft {
        wrap: bool,
    },
    ShiftRight {
        wrap: bool,
    },
    /// 1 if the parts compare like this: less, equal, greater.
    Set([bool; 3]),
    /// A product and `c`: which of them is negated, and whether there is one more.
    MulAdd {
        product: bool,
        addend: bool,
        more: bool,
    },
}

/// The use of the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The result is all.
    Whole,
    /// The parts of a mask take the place of those of `c`.
    Parts(u32),
    /// The parts of a mask are added to `c`.
    Sum(u32),
}

/// Parts of both words: how wide they are, and the first bit of each in the pair of `a` and `b` above it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Select {
    pub(crate) bits: u32,
    pub(crate) at: [u32; 4],
}

/// A video instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Video {
    pub(crate) what: What,
    /// Whether the result, `a` and `b` have a sign.
    pub(crate) signed: [bool; 3],
    pub(crate) select: [Select; 2],
    /// The parts of a word: 1, 2 or 4.
    pub(crate) parts: u32,
    pub(crate) saturates: bool,
    pub(crate) end: End,
}

/// The nearest number of so many bits.
fn clamped(value: i128, bits: u32, signed: bool) -> i128 {
    let (least, most) =
        if signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) };
    value.clamp(least, most)
}

/// The last bits of a word, with a sign or without.
fn number(word: u64, bits: u32, signed: bool) -> i128 {
    let shift = 64 - bits;
    if signed {
        i128::from((word << shift).cast_signed() >> shift)
    } else {
        i128::from(word << shift >> shift)
    }
}

impl Video {
    /// The result of three words.
    pub(crate) fn of(&self, a: u64, b: u64, c: u64) -> u64 {
        let pair = a & 0xffff_ffff | b << 32;
        let part = |which: usize, i: usize| {
            let Select { bits, at } = self.select[which];
            number(pair >> at[i], bits, self.signed[which + 1])
        };
        if let What::MulAdd { product, addend, more } = self.what {
            let c = number(c, 32, self.signed[1] || self.signed[2] || product || addend);
            let of = |negated: bool, value: i128| if negated { -value } else { value };
            let sum = of(product, part(0, 0) * part(1, 0)) + of(addend, c) + i128::from(more);
            return sum as u64 & 0xffff_ffff;
        }
        let width = 32 / self.parts;
        let result = |i: usize| {
            let value = self.one(part(0, i), part(1, i));
            if self.saturates { clamped(value, width, self.signed[0]) } else { value }
        };
        let ones = |bits: u32| u64::from(u32::MAX >> (32 - bits));
        let chosen = |mask: u32| (0..self.parts).filter(move |i| mask >> i & 1 != 0);
        let word = match self.end {
            End::Whole => result(0) as u64,
            End::Parts(mask) => chosen(mask).fold(c, |word, i| {
                let mask = ones(width) << (i * width);
                word & !mask | (result(i as usize) as u64) << (i * width) & mask
            }),
            End::Sum(mask) => {
                chosen(mask).fold(c, |sum, i| sum.wrapping_add(result(i as usize) as u64))
            }
        };
        word & 0xffff_ffff
    }

    /// The result of one pair of parts.
    fn one(&self, a: i128, b: i128) -> i128 {
        let count = |wrap: bool| if wrap { b & 31 } else { b.clamp(0, 32) };
        match self.what {
            What::Add => a + b,
            What::Sub => a - b,
            What::Distance => (a - b).abs(),
            What::Least => a.min(b),
            What::Most => a.max(b),
            // Halves are rounded away from zero.
            What::Average if a + b < 0 => (a + b) >> 1,
            What::Average => (a + b + 1) >> 1,
            What::ShiftLeft { wrap } => a << count(wrap),
            What::ShiftRight { wrap } => a >> count(wrap),
            What::Set([less, equal, greater]) => i128::from(match a.cmp(&b) {
                std::cmp::Ordering::Less => less,
                std::cmp::Ordering::Equal => equal,
                std::cmp::Ordering::Greater => greater,
            }),
            What::MulAdd { .. } => 0,
        }
    }
}
