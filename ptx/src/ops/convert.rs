//! `cvt`.

use std::cmp::Ordering;

use super::super::types::{Kind, Type};
use super::float::{flush, saturate};
use super::lanes::Unary;
use super::real::{BF16, F16, Real as _};
use super::soft::{self, Format};
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
    /// The type of the operand; of a pair, that of an element.
    pub(crate) from: Type,
    /// The type of the result; of a pair, that of an element.
    pub(crate) to: Type,
    /// How a value that the result's type lacks is rounded.
    pub(crate) rounding: Rounding,
    /// `.rni` and so on: to a whole number.
    pub(crate) integral: bool,
    /// `.ftz`
    pub(crate) ftz: bool,
    /// `.sat`
    pub(crate) sat: bool,
    /// `.satfinite`
    pub(crate) finite: bool,
    /// `.relu`
    pub(crate) relu: bool,
    /// The bits of the register that the result goes to.
    pub(crate) mask: u64,
}

/// `.e5m2`
const E5M2: Format = Format::new(5, 2);
/// `.e4m3`, whose largest exponent stands for numbers too.
const E4M3: Format = Format::new(4, 3);

impl Convert {
    /// The register's bits of the result.
    pub(crate) fn apply(&self, bits: u64) -> u64 {
        match (self.from.is_integer(), self.to.is_integer()) {
            (true, true) => self.clamp(extend(self.from, bits)),
            (true, false) => self.real(extend(self.from, bits)),
            (false, true) => self.whole(self.float(bits)),
            (false, false) => self.between(self.float(bits)),
        }
    }

    /// The operand, a float.
    fn float(&self, bits: u64) -> f64 {
        match (self.from.kind, self.from.bytes) {
            (Kind::E4m3, _) => match bits & 0x7f {
                0x7f => f64::NAN,
                // The exponent that the format has for infinity.
                0x78.. => 2.0 * soft::widen((bits & 0xff) - 8, E4M3),
                _ => soft::widen(bits & 0xff, E4M3),
            },
            (Kind::E5m2, _) => soft::widen(bits & 0xff, E5M2),
            (Kind::Brain, _) => BF16::of(bits).value(),
            (_, 2) => F16::of(bits).value(),
            (_, 4) if self.ftz => f64::from(flush(f32::of(bits))),
            (_, 4) => f64::from(f32::of(bits)),
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
        let format = format(self.to);
        let bits = soft::of_integer(value, format, self.rounding);
        if self.sat {
            return soft::narrow(saturate(soft::widen(bits, format)), format, Rounding::Nearest);
        }
        bits
    }

    /// A float result of a float.
    fn between(&self, value: f64) -> u64 {
        let mut value = if self.integral { self.rounding.integral(value) } else { value };
        if self.sat {
            value = saturate(value);
        }
        if self.relu && value < 0.0 {
            value = 0.0;
        }
        match self.to.kind {
            Kind::E4m3 | Kind::E5m2 => return self.eighth(value),
            Kind::Float if self.to.bytes == 8 => return value.bits(),
            _ => {}
        }
        let format = format(self.to);
        let narrow = soft::narrow(value, format, self.rounding);
        let infinity = soft::narrow(f64::INFINITY, format, self.rounding);
        match () {
            () if self.finite && narrow & infinity == infinity && !value.is_nan() => narrow - 1,
            () if self.ftz && self.to == Type::F32 => flush(f32::of(narrow)).bits(),
            () => narrow,
        }
    }

    /// A result of 8 bits, which is finite unless the value is no number.
    fn eighth(&self, value: f64) -> u64 {
        let (format, most) = match self.to.kind {
            Kind::E4m3 => (E4M3, 448.0),
            _ => (E5M2, 57344.0),
        };
        match () {
            () if value.is_nan() => 0x7f,
            () if value.abs() >= most => {
                soft::narrow(value, format, Rounding::Zero) & 0x80 | {
                    if format == E4M3 { 0x7e } else { 0x7b }
                }
            }
            () if format == E4M3 && value.abs() > 248.0 => {
                soft::narrow(value / 2.0, format, self.rounding) + 8
            }
            () => soft::narrow(value, format, self.rounding),
        }
    }
}

/// The format of a floating-point type.
fn format(ty: Type) -> Format {
    match (ty.kind, ty.bytes) {
        (Kind::Brain, _) => BF16::FORMAT,
        (Kind::Float, 2) => F16::FORMAT,
        (Kind::Float, 8) => soft::F64,
        _ => soft::F32,
    }
}

/// Conversions that are common, without a rounding of their own or to nearest,
/// and that saturate and flush nothing.
pub(crate) fn common(from: Type, to: Type) -> Option<Unary> {
    Some(match (from, to) {
        (Type::F16, Type::F32) => &|a: u64| (F16::of(a).value() as f32).result(),
        (Type::BF16, Type::F32) => &|a: u64| (BF16::of(a).value() as f32).result(),
        (Type::F32, Type::F16) => &|a: u64| F16::nearest(f64::from(f32::of(a))).result(),
        (Type::F32, Type::BF16) => &|a: u64| BF16::nearest(f64::from(f32::of(a))).result(),
        (Type::F32, Type::F64) => &|a: u64| f64::from(f32::of(a)).bits(),
        (Type::F64, Type::F32) => &|a: u64| (f64::of(a) as f32).result(),
        (Type::S32, Type::F32) => &|a: u64| (i32::of(a) as f32).bits(),
        (Type::U32, Type::F32) => &|a: u64| (u32::of(a) as f32).bits(),
        (Type::S32, Type::F64) => &|a: u64| f64::from(i32::of(a)).bits(),
        (Type::U32, Type::F64) => &|a: u64| f64::from(u32::of(a)).bits(),
        (Type::S64, Type::F64) => &|a: u64| (i64::of(a) as f64).bits(),
        (Type::U64, Type::F64) => &|a: u64| (u64::of(a) as f64).bits(),
        _ => return None,
    })
}

/// Conversions to whole numbers that are common: towards zero.
pub(crate) fn truncation(from: Type, to: Type) -> Option<Unary> {
    Some(match (from, to) {
        (Type::F32, Type::S32) => &|a: u64| (f32::of(a) as i32).bits(),
        (Type::F32, Type::U32) => &|a: u64| (f32::of(a) as u32).bits(),
        _ => return None,
    })
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
pub(crate) fn integer_conversion(from: Type, to: Type, mask: u64) -> Option<Unary> {
    if !from.is_integer() || !to.is_integer() {
        return None;
    }
    // The type whose low bits matter: the narrower one.
    let narrow = if from.bytes < to.bytes { from } else { to };
    let f: Unary = match (narrow.kind, narrow.bytes, mask) {
        (Kind::Signed, 1, 0xffff) => &|a: u64| i16::from(i8::of(a)).bits(),
        (Kind::Signed, 1, 0xffff_ffff) => &|a: u64| i32::from(i8::of(a)).bits(),
        (Kind::Signed, 2, 0xffff_ffff) => &|a: u64| i32::from(i16::of(a)).bits(),
        (Kind::Signed, 4, u64::MAX) => &|a: u64| i64::from(i32::of(a)).bits(),
        (Kind::Signed, 2, 0xffff) | (Kind::Unsigned | Kind::Bits, 2, _) => &|a: u64| a & 0xffff,
        (Kind::Signed, 4, 0xffff_ffff) | (Kind::Unsigned | Kind::Bits, 4, _) => {
            &|a: u64| a & 0xffff_ffff
        }
        (Kind::Unsigned | Kind::Bits, 1, _) => &|a: u64| a & 0xff,
        (_, 8, _) => &|a: u64| a,
        _ => return None,
    };
    Some(f)
}
