//! Floating-point arithmetic: functions on the bits of registers.

use super::super::types::Type;
use super::convert::Rounding;
use super::lanes::{Binary, Ternary, Unary};
use super::real::{BF16, F16, Real};
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
    /// `.relu`
    pub(crate) relu: bool,
    /// `.NaN`
    pub(crate) nan: bool,
}

/// Zero of the same sign in place of a subnormal.
pub(crate) fn flush<T: Real>(value: T) -> T {
    value.flushed()
}

/// 0 to 1; NaN is 0.
pub(crate) fn saturate(value: f64) -> f64 {
    if value >= 0.0 { value.min(1.0) + 0.0 } else { 0.0 }
}

/// An operation; those of fewer operands leave the last ones alone.
trait Operation {
    fn call<T: Real, const R: u8>(a: T, b: T, c: T) -> T;
}

const FTZ: u8 = 1;
const SAT: u8 = 2;
const RELU: u8 = 4;

/// Runs an operation on the bits of a type, `M` being its modifiers.
#[inline(always)]
fn apply<O: Operation, T: Real, const R: u8, const M: u8>(a: u64, b: u64, c: u64) -> u64 {
    let read = |bits| if M & FTZ != 0 { T::of(bits).flushed() } else { T::of(bits) };
    let mut value = O::call::<T, R>(read(a), read(b), read(c));
    if M & SAT != 0 {
        value = T::nearest(saturate(value.value()));
    }
    if M & RELU != 0 && value.value() <= 0.0 {
        value = T::nearest(0.0);
    }
    if M & FTZ != 0 {
        value = value.flushed();
    }
    value.result()
}

/// `fma.rn.f32`
#[inline(always)]
pub(crate) fn fma_f32(a: u64, b: u64, c: u64) -> u64 {
    apply::<Fma, f32, 0, 0>(a, b, c)
}

/// An operation on both halves of a register.
#[inline(always)]
fn halves<O: Operation, T: Real, const R: u8, const M: u8>(a: u64, b: u64, c: u64) -> u64 {
    let high = apply::<O, T, R, M>(a >> 16 & 0xffff, b >> 16 & 0xffff, c >> 16 & 0xffff);
    apply::<O, T, R, M>(a & 0xffff, b & 0xffff, c & 0xffff) | high << 16
}

macro_rules! operations {
    ($($name:ident = |$a:ident, $b:ident, $c:ident| $body:expr;)*) => {$(
        struct $name;
        impl Operation for $name {
            #[inline(always)]
            fn call<T: Real, const R: u8>($a: T, $b: T, $c: T) -> T {
                $body
            }
        }
    )*};
}

operations! {
    Add = |a, b, _c| a.sum::<R>(b);
    Sub = |a, b, _c| a.difference::<R>(b);
    Mul = |a, b, _c| a.product::<R>(b);
    Div = |a, b, _c| a.quotient::<R>(b);
    Fma = |a, b, c| a.fused::<R>(b, c);
    // With the negative of the sum's third operand, of the product, of both.
    Fms = |a, b, c| a.fused::<R>(b, c.negated());
    Fnma = |a, b, c| a.negated().fused::<R>(b, c);
    Fnms = |a, b, c| a.negated().fused::<R>(b, c.negated());
    Sqrt = |a, _b, _c| a.root::<R>();
    Rcp = |a, _b, _c| T::nearest(1.0).quotient::<R>(a);
    Neg = |a, _b, _c| a.negated();
    Abs = |a, _b, _c| if a.value().is_sign_negative() { a.negated() } else { a };
    Min = |a, b, _c| least(a, b);
    Max = |a, b, _c| least(a.negated(), b.negated()).negated();
    MinNan = |a, b, _c| if unordered(a, b) { T::nearest(f64::NAN) } else { least(a, b) };
    MaxNan = |a, b, _c| if unordered(a, b) {
        T::nearest(f64::NAN)
    } else {
        least(a.negated(), b.negated()).negated()
    };
    // An approximation of the hardware is the nearest value here.
    Rsqrt = |a, _b, _c| T::nearest(1.0 / a.value().sqrt());
    Ex2 = |a, _b, _c| T::nearest(a.value().exp2());
    Lg2 = |a, _b, _c| T::nearest(a.value().log2());
    Sin = |a, _b, _c| T::nearest(a.value().sin());
    Cos = |a, _b, _c| T::nearest(a.value().cos());
    Tanh = |a, _b, _c| T::nearest(a.value().tanh());
}

fn unordered<T: Real>(a: T, b: T) -> bool {
    a.value().is_nan() || b.value().is_nan()
}

/// The lesser number: -0 is less than +0, and NaN is no number.
#[inline]
pub(super) fn least<T: Real>(a: T, b: T) -> T {
    let (x, y) = (a.value(), b.value());
    let first = y.is_nan() || x < y || (x == y && x.is_sign_negative());
    if first && !x.is_nan() { a } else { b }
}

/// The functions of an operation for all types that have it, out of those
/// listed with their roundings and modifiers.
macro_rules! choose {
    ($ty:expr, $m:expr, $o:ident, $args:tt, [$($set:ident),*]) => {{
        let number = number($m.rounding);
        let flags = u8::from($m.ftz) | u8::from($m.sat) << 1 | u8::from($m.relu) << 2;
        let f: Option<choose!(@type $args)> = None;
        $(let f = f.or_else(|| choose!(@$set $ty, number, flags, $o, $args));)*
        f
    }};
    (@type (a)) => { Unary };
    (@type (a, b)) => { Binary };
    (@type (a, b, c)) => { Ternary };
    (@of $f:ident, $o:ident, $t:ty, $r:literal, $m:literal, (a)) => {
        Some(&|a: u64| $f::<$o, $t, $r, $m>(a, 0, 0) as u64)
    };
    (@of $f:ident, $o:ident, $t:ty, $r:literal, $m:literal, (a, b)) => {
        Some(&|a: u64, b: u64| $f::<$o, $t, $r, $m>(a, b, 0) as u64)
    };
    (@of $f:ident, $o:ident, $t:ty, $r:literal, $m:literal, (a, b, c)) => {
        Some(&|a: u64, b: u64, c: u64| $f::<$o, $t, $r, $m>(a, b, c) as u64)
    };
    // f32 to nearest, with .ftz and .sat.
    (@single $ty:expr, $number:expr, $flags:expr, $o:ident, $args:tt) => {
        match ($ty, $number, $flags) {
            (Type::F32, 0, 0) => choose!(@of apply, $o, f32, 0, 0, $args),
            (Type::F32, 0, 1) => choose!(@of apply, $o, f32, 0, 1, $args),
            (Type::F32, 0, 2) => choose!(@of apply, $o, f32, 0, 2, $args),
            (Type::F32, 0, 3) => choose!(@of apply, $o, f32, 0, 3, $args),
            _ => None,
        }
    };
    // f32 in other directions.
    (@directed $ty:expr, $number:expr, $flags:expr, $o:ident, $args:tt) => {
        match ($ty, $number, $flags) {
            (Type::F32, 1, 0) => choose!(@of apply, $o, f32, 1, 0, $args),
            (Type::F32, 1, 1) => choose!(@of apply, $o, f32, 1, 1, $args),
            (Type::F32, 1, 2) => choose!(@of apply, $o, f32, 1, 2, $args),
            (Type::F32, 1, 3) => choose!(@of apply, $o, f32, 1, 3, $args),
            (Type::F32, 2, 0) => choose!(@of apply, $o, f32, 2, 0, $args),
            (Type::F32, 2, 1) => choose!(@of apply, $o, f32, 2, 1, $args),
            (Type::F32, 2, 2) => choose!(@of apply, $o, f32, 2, 2, $args),
            (Type::F32, 2, 3) => choose!(@of apply, $o, f32, 2, 3, $args),
            (Type::F32, 3, 0) => choose!(@of apply, $o, f32, 3, 0, $args),
            (Type::F32, 3, 1) => choose!(@of apply, $o, f32, 3, 1, $args),
            (Type::F32, 3, 2) => choose!(@of apply, $o, f32, 3, 2, $args),
            (Type::F32, 3, 3) => choose!(@of apply, $o, f32, 3, 3, $args),
            _ => None,
        }
    };
    (@double $ty:expr, $number:expr, $flags:expr, $o:ident, $args:tt) => {
        match ($ty, $number, $flags) {
            (Type::F64, 0, 0) => choose!(@of apply, $o, f64, 0, 0, $args),
            (Type::F64, 1, 0) => choose!(@of apply, $o, f64, 1, 0, $args),
            (Type::F64, 2, 0) => choose!(@of apply, $o, f64, 2, 0, $args),
            (Type::F64, 3, 0) => choose!(@of apply, $o, f64, 3, 0, $args),
            _ => None,
        }
    };
    (@small $ty:expr, $number:expr, $flags:expr, $o:ident, $args:tt) => {
        match ($ty, $number, $flags) {
            (Type::F16, 0, 0) => choose!(@of apply, $o, F16, 0, 0, $args),
            (Type::F16, 0, 1) => choose!(@of apply, $o, F16, 0, 1, $args),
            (Type::F16, 0, 2) => choose!(@of apply, $o, F16, 0, 2, $args),
            (Type::F16, 0, 3) => choose!(@of apply, $o, F16, 0, 3, $args),
            (Type::F16X2, 0, 0) => choose!(@of halves, $o, F16, 0, 0, $args),
            (Type::F16X2, 0, 1) => choose!(@of halves, $o, F16, 0, 1, $args),
            (Type::F16X2, 0, 2) => choose!(@of halves, $o, F16, 0, 2, $args),
            (Type::F16X2, 0, 3) => choose!(@of halves, $o, F16, 0, 3, $args),
            (Type::BF16, 0, 0) => choose!(@of apply, $o, BF16, 0, 0, $args),
            (Type::BF16X2, 0, 0) => choose!(@of halves, $o, BF16, 0, 0, $args),
            _ => None,
        }
    };
    // .relu of the small types.
    (@relu $ty:expr, $number:expr, $flags:expr, $o:ident, $args:tt) => {
        match ($ty, $number, $flags) {
            (Type::F16, 0, 4) => choose!(@of apply, $o, F16, 0, 4, $args),
            (Type::F16, 0, 5) => choose!(@of apply, $o, F16, 0, 5, $args),
            (Type::F16X2, 0, 4) => choose!(@of halves, $o, F16, 0, 4, $args),
            (Type::F16X2, 0, 5) => choose!(@of halves, $o, F16, 0, 5, $args),
            (Type::BF16, 0, 4) => choose!(@of apply, $o, BF16, 0, 4, $args),
            (Type::BF16X2, 0, 4) => choose!(@of halves, $o, BF16, 0, 4, $args),
            _ => None,
        }
    };
}

/// A rounding's number; to nearest if there is none.
fn number(rounding: Option<Rounding>) -> u8 {
    match rounding {
        None | Some(Rounding::Nearest) => 0,
        Some(Rounding::Zero) => 1,
        Some(Rounding::Down) => 2,
        Some(Rounding::Up) => 3,
    }
}

/// Instructions of one operand.
pub(crate) fn unary(opcode: &str, ty: Type, m: Modifiers) -> Option<Unary> {
    let rounded = m.rounding.is_some();
    match opcode {
        "neg" if ty == Type::F64 => (!m.ftz).then_some(&|a: u64| a ^ 1 << 63),
        "abs" if ty == Type::F64 => (!m.ftz).then_some(&|a: u64| a & !(1 << 63)),
        "neg" if ty == Type::F32 && !m.ftz => Some(&|a: u64| a ^ 1 << 31),
        "abs" if ty == Type::F32 && !m.ftz => Some(&|a: u64| a & 0x7fff_ffff),
        "neg" => choose!(ty, m, Neg, (a), [single, small]),
        "abs" => choose!(ty, m, Abs, (a), [single, small]),
        "sqrt" if m.approximate => choose!(ty, m, Sqrt, (a), [single]),
        "sqrt" if rounded => choose!(ty, m, Sqrt, (a), [single, directed, double]),
        "rcp" if ty == Type::F64 && m.approximate && m.ftz => {
            Some(&|a: u64| flush(1.0 / flush(f64::of(a))).bits())
        }
        "rcp" if m.approximate => choose!(ty, m, Rcp, (a), [single]),
        "rcp" if rounded => choose!(ty, m, Rcp, (a), [single, directed, double]),
        _ if !m.approximate => None,
        "rsqrt" if ty == Type::F64 && m.ftz => {
            Some(&|a: u64| flush(1.0 / flush(f64::of(a)).sqrt()).bits())
        }
        "rsqrt" if ty == Type::F64 => Some(&|a: u64| (1.0 / f64::of(a).sqrt()).bits()),
        "rsqrt" => choose!(ty, m, Rsqrt, (a), [single]),
        // bf16 has the modifier in its name, and the range of f32.
        "ex2" if m.ftz && matches!(ty, Type::BF16 | Type::BF16X2) => {
            unary(opcode, ty, Modifiers { ftz: false, ..m })
        }
        "ex2" => choose!(ty, m, Ex2, (a), [single, small]),
        "lg2" => choose!(ty, m, Lg2, (a), [single]),
        "sin" => choose!(ty, m, Sin, (a), [single]),
        "cos" => choose!(ty, m, Cos, (a), [single]),
        "tanh" if !m.ftz => choose!(ty, m, Tanh, (a), [single, small]),
        _ => None,
    }
}

/// Instructions of two operands.
pub(crate) fn binary(opcode: &str, ty: Type, m: Modifiers) -> Option<Binary> {
    match opcode {
        "add" => choose!(ty, m, Add, (a, b), [single, directed, double, small]),
        "sub" => choose!(ty, m, Sub, (a, b), [single, directed, double, small]),
        "mul" => choose!(ty, m, Mul, (a, b), [single, directed, double, small]),
        "div" if m.approximate => choose!(ty, m, Div, (a, b), [single]),
        "div" if m.rounding.is_some() => {
            choose!(ty, m, Div, (a, b), [single, directed, double])
        }
        "min" if m.nan => choose!(ty, m, MinNan, (a, b), [single, small]),
        "max" if m.nan => choose!(ty, m, MaxNan, (a, b), [single, small]),
        "min" => choose!(ty, m, Min, (a, b), [single, double, small]),
        "max" => choose!(ty, m, Max, (a, b), [single, double, small]),
        // Of the sign of a.
        "copysign" if ty == Type::F32 => Some(&|a: u64, b: u64| a & 1 << 31 | b & 0x7fff_ffff),
        "copysign" if ty == Type::F64 => Some(&|a: u64, b: u64| a & 1 << 63 | b & !(1 << 63)),
        _ => None,
    }
}

/// Instructions of three operands, and those of them that the assembler makes of products and sums.
pub(crate) fn ternary(opcode: &str, ty: Type, m: Modifiers) -> Option<Ternary> {
    match opcode {
        "fms" => return choose!(ty, m, Fms, (a, b, c), [single, double, small]),
        "fnma" => return choose!(ty, m, Fnma, (a, b, c), [single, double, small]),
        "fnms" => return choose!(ty, m, Fnms, (a, b, c), [single, double, small]),
        _ => {}
    }
    if !matches!(opcode, "fma" | "mad") || m.rounding.is_none() || !ty.is_float() {
        return None;
    }
    choose!(ty, m, Fma, (a, b, c), [single, directed, double, small, relu])
}
