//! `cvt`.

use std::cmp::Ordering;

use super::super::types::{Kind, Type};
use super::float::{flush, saturate};
use super::round::{exactly, step, to_f32};
use super::word::Word;

/// A direction of rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rounding {
    /// `.rn`, `.rni`: to nearest, ties to even.
    Nearest,
    /// `.rz`, `.rzi`
    Zero,
    /// `.rm`, `.rmi`
    Down,
    /// `.rp`, `.rpi`
    Up,
}

impl Rounding {
    /// The direction of a number, for const generics.
    pub(crate) const fn of(number: u8) -> Self {
        match number {
            0 => Self::Nearest,
            1 => Self::Zero,
            2 => Self::Down,
            _ => Self::Up,
        }
    }

    fn integral(self, value: f64) -> f64 {
        match self {
            Self::Nearest => value.round_ties_even(),
            Self::Zero => value.trunc(),
            Self::Down => value.floor(),
            Self::Up => value.ceil(),
        }
    }
}

/// A conversion, its modifiers resolved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Convert {
    /// The type of the operand.
    pub(crate) from: Type,
    /// The type of the result.
    pub(crate) to: Type,
    /// How a value that the result's type lacks is rounded.
    pub(crate) rounding: Rounding,
    /// `.rni` and so on: to a whole number.
    pub(crate) integral: bool,
    /// `.ftz`
    pub(crate) ftz: bool,
    /// `.sat`
    pub(crate) sat: bool,
    /// The bits of the register that the result goes to.
    pub(crate) mask: u64,
}

impl Convert {
    /// The register's bits of the result.
    pub(crate) fn apply(&self, bits: u64) -> u64 {
        match (self.from.is_integer(), self.to.is_integer()) {
            (true, true) => self.clamp(self.integer(bits)),
            (true, false) => self.real(self.integer(bits)),
            (false, true) => self.whole(self.float(bits)),
            (false, false) => self.between(self.float(bits)),
        }
    }

    /// The operand, an integer.
    fn integer(&self, bits: u64) -> i128 {
        extend(self.from, bits)
    }

    /// The operand, a float.
    fn float(&self, bits: u64) -> f64 {
        match self.from.bytes {
            4 if self.ftz => f64::from(flush(f32::of(bits))),
            4 => f64::from(f32::of(bits)),
            _ => f64::of(bits),
        }
    }

    /// An integer result: saturated or cut off, and extended to the register.
    fn clamp(&self, value: i128) -> u64 {
        let value = if self.sat { limit(self.to, value) } else { value };
        extend(self.to, value as u64) as u64 & self.mask
    }

    /// An integer result of a float.
    fn whole(&self, value: f64) -> u64 {
        if value.is_nan() {
            let high = self.from.bytes == 8 || self.to.bytes == 8;
            let bits = if high { 1u64 << (self.to.bits() - 1) } else { 0 };
            return extend(self.to, bits) as u64 & self.mask;
        }
        let limited = limit(self.to, self.rounding.integral(value) as i128);
        extend(self.to, limited as u64) as u64 & self.mask
    }

    /// A float result of an integer.
    fn real(&self, value: i128) -> u64 {
        let negative = value < 0;
        if self.to.bytes == 8 {
            let near = value as f64;
            let over = (near as i128).cmp(&value);
            let near = step(near, over, self.rounding, negative, f64::next_down, f64::next_up);
            return if self.sat { saturate(near).bits() } else { near.bits() };
        }
        let near = value as f32;
        let over = (near as i128).cmp(&value);
        let near = step(near, over, self.rounding, negative, f32::next_down, f32::next_up);
        if self.sat { (saturate(f64::from(near)) as f32).bits() } else { near.bits() }
    }

    /// A float result of a float.
    fn between(&self, value: f64) -> u64 {
        let mut value = if self.integral { self.rounding.integral(value) } else { value };
        if self.sat {
            value = saturate(value);
        }
        if self.to.bytes == 8 {
            return value.bits();
        }
        let narrow = match self.rounding {
            _ if value.is_nan() => return 0x7fff_ffff,
            Rounding::Nearest => value as f32,
            other => to_f32(exactly(value), other),
        };
        if self.ftz { flush(narrow).bits() } else { narrow.bits() }
    }
}

/// The value of a type's low bits.
fn extend(ty: Type, bits: u64) -> i128 {
    let bits = bits & ty.mask();
    let unused = 64 - ty.bits();
    match ty.kind {
        Kind::Signed => i128::from((bits << unused).cast_signed() >> unused),
        _ => i128::from(bits),
    }
}

/// The nearest value that an integer type has.
fn limit(ty: Type, value: i128) -> i128 {
    let (least, most) = match ty.kind {
        Kind::Signed => (-(1i128 << (ty.bits() - 1)), (1i128 << (ty.bits() - 1)) - 1),
        _ => (0, (1i128 << ty.bits()) - 1),
    };
    match value.cmp(&least) {
        Ordering::Less => least,
        _ => value.min(most),
    }
}

/// A conversion between integers that saturates nothing, where a function on
/// the bits does it.
pub(crate) fn integer_conversion(from: Type, to: Type, mask: u64) -> Option<fn(u64) -> u64> {
    if !from.is_integer() || !to.is_integer() {
        return None;
    }
    // The type whose low bits matter: the narrower one.
    let narrow = if from.bytes < to.bytes { from } else { to };
    let f: fn(u64) -> u64 = match (narrow.kind, narrow.bytes, mask) {
        (Kind::Signed, 1, 0xffff) => |a| i16::from(i8::of(a)).bits(),
        (Kind::Signed, 1, 0xffff_ffff) => |a| i32::from(i8::of(a)).bits(),
        (Kind::Signed, 2, 0xffff_ffff) => |a| i32::from(i16::of(a)).bits(),
        (Kind::Signed, 4, u64::MAX) => |a| i64::from(i32::of(a)).bits(),
        (Kind::Signed, 2, 0xffff) | (Kind::Unsigned | Kind::Bits, 2, _) => |a| a & 0xffff,
        (Kind::Signed, 4, 0xffff_ffff) | (Kind::Unsigned | Kind::Bits, 4, _) => |a| a & 0xffff_ffff,
        (Kind::Unsigned | Kind::Bits, 1, _) => |a| a & 0xff,
        (_, 8, _) => |a| a,
        _ => return None,
    };
    Some(f)
}
