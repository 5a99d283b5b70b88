//! Floating-point arithmetic. Rounding to nearest is the host's, which is
//! IEEE's; other directions are computed exactly for f32 and refused for f64.

use super::super::types::{Kind, Type};
use super::convert::Rounding;
use super::round::{self, Exact, to_f32};
use super::word::Word;

/// The modifiers of a floating-point instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Modifiers {
    /// `.rn` and so on.
    pub(crate) rounding: Option<Rounding>,
    /// `.approx` or `.full`
    pub(crate) approximate: bool,
    /// `.ftz`
    pub(crate) ftz: bool,
    /// `.sat`
    pub(crate) sat: bool,
    /// `.NaN`
    pub(crate) nan: bool,
}

/// Types that have subnormal numbers.
pub(crate) trait Flush {
    /// Zero of the same sign in place of a subnormal.
    fn flushed(self) -> Self;
}

impl Flush for f32 {
    fn flushed(self) -> Self {
        if self.is_subnormal() { 0f32.copysign(self) } else { self }
    }
}

impl Flush for f64 {
    fn flushed(self) -> Self {
        if self.is_subnormal() { 0f64.copysign(self) } else { self }
    }
}

/// See [`Flush`].
pub(crate) fn flush<T: Flush>(value: T) -> T {
    value.flushed()
}

/// 0 to 1; NaN is 0.
pub(crate) fn saturate(value: f64) -> f64 {
    if value >= 0.0 { value.min(1.0) + 0.0 } else { 0.0 }
}

/// The bits of the NaN that f32 arithmetic gives.
const NAN32: u64 = 0x7fff_ffff;

/// An operation on f32; those of fewer operands leave the last ones alone.
trait Operation {
    fn call(a: f32, b: f32, c: f32) -> f32;
}

fn read<const FTZ: bool>(bits: u64) -> f32 {
    let value = f32::of(bits);
    if FTZ { flush(value) } else { value }
}

fn apply<O: Operation, const FTZ: bool, const SAT: bool>(a: u64, b: u64, c: u64) -> u64 {
    let mut value = O::call(read::<FTZ>(a), read::<FTZ>(b), read::<FTZ>(c));
    if SAT {
        value = saturate(f64::from(value)) as f32;
    }
    if FTZ {
        value = flush(value);
    }
    if value.is_nan() { NAN32 } else { value.bits() }
}

macro_rules! choose {
    ($operation:ty, $modifiers:expr, |$($x:ident),*| ($a:expr, $b:expr, $c:expr)) => {
        Some(match ($modifiers.ftz, $modifiers.sat) {
            (false, false) => |$($x),*| apply::<$operation, false, false>($a, $b, $c),
            (false, true) => |$($x),*| apply::<$operation, false, true>($a, $b, $c),
            (true, false) => |$($x),*| apply::<$operation, true, false>($a, $b, $c),
            (true, true) => |$($x),*| apply::<$operation, true, true>($a, $b, $c),
        })
    };
}

macro_rules! operations {
    ($($name:ident = |$a:ident, $b:ident, $c:ident| $body:expr;)*) => {$(
        struct $name;
        impl Operation for $name {
            fn call($a: f32, $b: f32, $c: f32) -> f32 {
                $body
            }
        }
    )*};
}

operations! {
    Add = |a, b, _c| a + b;
    Sub = |a, b, _c| a - b;
    Mul = |a, b, _c| a * b;
    Div = |a, b, _c| a / b;
    Fma = |a, b, c| a.mul_add(b, c);
    Min = |a, b, _c| least(a, b);
    Max = |a, b, _c| -least(-a, -b);
    MinNan = |a, b, _c| if a.is_nan() || b.is_nan() { f32::NAN } else { least(a, b) };
    MaxNan = |a, b, _c| if a.is_nan() || b.is_nan() { f32::NAN } else { -least(-a, -b) };
    Sqrt = |a, _b, _c| a.sqrt();
    Rcp = |a, _b, _c| 1.0 / a;
    Rsqrt = |a, _b, _c| (1.0 / f64::from(a).sqrt()) as f32;
    Ex2 = |a, _b, _c| f64::from(a).exp2() as f32;
    Lg2 = |a, _b, _c| f64::from(a).log2() as f32;
    Sin = |a, _b, _c| f64::from(a).sin() as f32;
    Cos = |a, _b, _c| f64::from(a).cos() as f32;
    Tanh = |a, _b, _c| f64::from(a).tanh() as f32;
}

/// The lesser number: -0 is less than +0, and NaN is no number.
fn least(a: f32, b: f32) -> f32 {
    match () {
        () if a.is_nan() => b,
        () if b.is_nan() => a,
        () if a == b => {
            if a.is_sign_negative() {
                a
            } else {
                b
            }
        }
        () => {
            if a < b {
                a
            } else {
                b
            }
        }
    }
}

fn least64(a: f64, b: f64) -> f64 {
    match () {
        () if a.is_nan() => b,
        () if b.is_nan() => a,
        () if a == b => {
            if a.is_sign_negative() {
                a
            } else {
                b
            }
        }
        () => {
            if a < b {
                a
            } else {
                b
            }
        }
    }
}

macro_rules! directed {
    ($($name:ident = |$a:ident, $b:ident, $c:ident| $body:expr;)*) => {$(
        struct $name<const R: u8>;
        impl<const R: u8> Operation for $name<R> {
            fn call($a: f32, $b: f32, $c: f32) -> f32 {
                to_f32($body, Rounding::of(R))
            }
        }
    )*};
}

directed! {
    AddTo = |a, b, _c| total::<R>(f64::from(a), f64::from(b));
    SubTo = |a, b, _c| total::<R>(f64::from(a), -f64::from(b));
    MulTo = |a, b, _c| round::exactly(f64::from(a) * f64::from(b));
    DivTo = |a, b, _c| round::quotient(a, b);
    FmaTo = |a, b, c| total::<R>(f64::from(a) * f64::from(b), f64::from(c));
    SqrtTo = |a, _b, _c| round::root(a);
    RcpTo = |a, _b, _c| round::quotient(1.0, a);
}

/// A sum; one that cancels is -0 where rounding is down.
fn total<const R: u8>(a: f64, b: f64) -> Exact {
    let cancels =
        a + b == 0.0 && !(a == 0.0 && b == 0.0 && a.is_sign_positive() && b.is_sign_positive());
    if cancels && Rounding::of(R) == Rounding::Down {
        return round::exactly(-0.0);
    }
    round::sum(a, b)
}

macro_rules! rounded {
    ($nearest:ty, $directed:ident, $modifiers:expr, $($rest:tt)*) => {
        match $modifiers.rounding {
            None | Some(Rounding::Nearest) => choose!($nearest, $modifiers, $($rest)*),
            Some(Rounding::Zero) => choose!($directed<1>, $modifiers, $($rest)*),
            Some(Rounding::Down) => choose!($directed<2>, $modifiers, $($rest)*),
            Some(Rounding::Up) => choose!($directed<3>, $modifiers, $($rest)*),
        }
    };
}

/// Whether the modifiers are fit for f64: no `.ftz` or `.sat`, and no
/// rounding but to nearest.
fn plain64(m: Modifiers) -> bool {
    !m.ftz && !m.sat && matches!(m.rounding, None | Some(Rounding::Nearest))
}

/// Instructions of one operand.
pub(crate) fn unary(opcode: &str, ty: Type, m: Modifiers) -> Option<fn(u64) -> u64> {
    if ty.kind != Kind::Float {
        return None;
    }
    if ty.bytes == 8 {
        let f: fn(u64) -> u64 = match opcode {
            "neg" if m == Modifiers::default() => |a| a ^ 1 << 63,
            "abs" if m == Modifiers::default() => |a| a & !(1 << 63),
            "sqrt" if plain64(m) && m.rounding.is_some() => |a| f64::of(a).sqrt().bits(),
            "rcp" if plain64(m) && m.rounding.is_some() => |a| (1.0 / f64::of(a)).bits(),
            "rcp" if m.approximate && m.ftz => |a| flush(1.0 / flush(f64::of(a))).bits(),
            "rsqrt" if m.approximate && m.ftz => |a| flush(1.0 / flush(f64::of(a)).sqrt()).bits(),
            "rsqrt" if m.approximate => |a| (1.0 / f64::of(a).sqrt()).bits(),
            _ => return None,
        };
        return Some(f);
    }
    match opcode {
        "neg" if m.ftz => Some(|a| flush(f32::of(a)).bits() ^ 1 << 31),
        "neg" => Some(|a| a ^ 1 << 31),
        "abs" if m.ftz => Some(|a| flush(f32::of(a)).bits() & 0x7fff_ffff),
        "abs" => Some(|a| a & 0x7fff_ffff),
        "sqrt" if m.approximate => choose!(Sqrt, m, |a| (a, 0, 0)),
        "rcp" if m.approximate => choose!(Rcp, m, |a| (a, 0, 0)),
        "sqrt" if m.rounding.is_some() => rounded!(Sqrt, SqrtTo, m, |a| (a, 0, 0)),
        "rcp" if m.rounding.is_some() => rounded!(Rcp, RcpTo, m, |a| (a, 0, 0)),
        _ if !m.approximate => None,
        "rsqrt" => choose!(Rsqrt, m, |a| (a, 0, 0)),
        "ex2" => choose!(Ex2, m, |a| (a, 0, 0)),
        "lg2" => choose!(Lg2, m, |a| (a, 0, 0)),
        "sin" => choose!(Sin, m, |a| (a, 0, 0)),
        "cos" => choose!(Cos, m, |a| (a, 0, 0)),
        "tanh" if !m.ftz => choose!(Tanh, m, |a| (a, 0, 0)),
        _ => None,
    }
}

/// Instructions of two operands.
pub(crate) fn binary(opcode: &str, ty: Type, m: Modifiers) -> Option<fn(u64, u64) -> u64> {
    if ty.kind != Kind::Float {
        return None;
    }
    if ty.bytes == 8 {
        let f: fn(u64, u64) -> u64 = match opcode {
            _ if !plain64(m) || m.approximate || m.nan => return None,
            "add" => |a, b| (f64::of(a) + f64::of(b)).bits(),
            "sub" => |a, b| (f64::of(a) - f64::of(b)).bits(),
            "mul" => |a, b| (f64::of(a) * f64::of(b)).bits(),
            "div" if m.rounding.is_some() => |a, b| (f64::of(a) / f64::of(b)).bits(),
            "min" => |a, b| least64(f64::of(a), f64::of(b)).bits(),
            "max" => |a, b| (-least64(-f64::of(a), -f64::of(b))).bits(),
            // Of the sign of a.
            "copysign" => |a, b| a & 1 << 63 | b & !(1 << 63),
            _ => return None,
        };
        return Some(f);
    }
    match opcode {
        "add" => rounded!(Add, AddTo, m, |a, b| (a, b, 0)),
        "sub" => rounded!(Sub, SubTo, m, |a, b| (a, b, 0)),
        "mul" => rounded!(Mul, MulTo, m, |a, b| (a, b, 0)),
        "div" if m.approximate => choose!(Div, m, |a, b| (a, b, 0)),
        "div" if m.rounding.is_some() => rounded!(Div, DivTo, m, |a, b| (a, b, 0)),
        "min" if m.nan => choose!(MinNan, m, |a, b| (a, b, 0)),
        "max" if m.nan => choose!(MaxNan, m, |a, b| (a, b, 0)),
        "min" => choose!(Min, m, |a, b| (a, b, 0)),
        "max" => choose!(Max, m, |a, b| (a, b, 0)),
        "copysign" => Some(|a, b| a & 1 << 31 | b & 0x7fff_ffff),
        _ => None,
    }
}

/// Instructions of three operands.
pub(crate) fn ternary(opcode: &str, ty: Type, m: Modifiers) -> Option<fn(u64, u64, u64) -> u64> {
    let fused = matches!(opcode, "fma" | "mad") && m.rounding.is_some();
    match (ty.kind, ty.bytes) {
        (Kind::Float, 4) if fused => rounded!(Fma, FmaTo, m, |a, b, c| (a, b, c)),
        (Kind::Float, 8) if fused && plain64(m) => {
            Some(|a, b, c| f64::of(a).mul_add(f64::of(b), f64::of(c)).bits())
        }
        _ => None,
    }
}
