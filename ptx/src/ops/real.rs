//! Floating-point types: f16, bf16, f32 and f64, with every rounding.

use super::convert::Rounding;
use super::round::{self, Exact, to_f32};
use super::soft::{self, Format};
use super::word::Word;

/// A floating-point type of PTX.
///
/// `R` is a [`Rounding`] by number.
pub(crate) trait Real: Word {
    /// The value, which f64 has.
    fn value(self) -> f64;
    /// The nearest number of the type.
    fn nearest(value: f64) -> Self;
    /// Zero of the same sign in place of a subnormal.
    fn flushed(self) -> Self;
    /// With the other sign.
    fn negated(self) -> Self;
    /// `a + b`
    fn sum<const R: u8>(self, b: Self) -> Self;
    /// `a - b`
    fn difference<const R: u8>(self, b: Self) -> Self {
        self.sum::<R>(b.negated())
    }
    /// `a * b`
    fn product<const R: u8>(self, b: Self) -> Self;
    /// `a / b`
    fn quotient<const R: u8>(self, b: Self) -> Self;
    /// `a * b + c`, rounded once
    fn fused<const R: u8>(self, b: Self, c: Self) -> Self;
    /// The square root.
    fn root<const R: u8>(self) -> Self;
    /// The bits of a result: of NaN, those that arithmetic gives.
    fn result(self) -> u64;
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

impl Real for f32 {
    #[inline]
    fn value(self) -> f64 {
        f64::from(self)
    }
    #[inline]
    fn nearest(value: f64) -> Self {
        value as f32
    }
    #[inline]
    fn flushed(self) -> Self {
        if self.is_subnormal() { 0f32.copysign(self) } else { self }
    }
    #[inline]
    fn negated(self) -> Self {
        -self
    }
    #[inline]
    fn sum<const R: u8>(self, b: Self) -> Self {
        match R {
            0 => self + b,
            _ => to_f32(total::<R>(self.into(), b.into()), Rounding::of(R)),
        }
    }
    #[inline]
    fn product<const R: u8>(self, b: Self) -> Self {
        match R {
            0 => self * b,
            _ => to_f32(round::exactly(f64::from(self) * f64::from(b)), Rounding::of(R)),
        }
    }
    #[inline]
    fn quotient<const R: u8>(self, b: Self) -> Self {
        match R {
            0 => self / b,
            _ => to_f32(round::quotient(self, b), Rounding::of(R)),
        }
    }
    #[inline]
    fn fused<const R: u8>(self, b: Self, c: Self) -> Self {
        match R {
            0 => soft::fused_f32(self, b, c),
            _ => {
                let product = f64::from(self) * f64::from(b);
                to_f32(total::<R>(product, c.into()), Rounding::of(R))
            }
        }
    }
    #[inline]
    fn root<const R: u8>(self) -> Self {
        match R {
            0 => self.sqrt(),
            _ => to_f32(round::root(self), Rounding::of(R)),
        }
    }
    #[inline]
    fn result(self) -> u64 {
        if self.is_nan() { 0x7fff_ffff } else { self.bits() }
    }
}

/// A result, or where it is NaN, the first operand that is: which of them a processor takes depends on the
/// instruction that the compiler chooses. A NaN that an operation makes of numbers has its sign set, as on GPUs.
#[inline]
fn with_nan_of<const N: usize>(result: f64, of: [f64; N]) -> f64 {
    if !result.is_nan() {
        return result;
    }
    let quiet = |it: f64| f64::from_bits(it.to_bits() | 1 << 51);
    let none = f64::from_bits(0xfff8 << 48);
    of.iter().rev().fold(none, |nan, &it| if it.is_nan() { quiet(it) } else { nan })
}

impl Real for f64 {
    #[inline]
    fn value(self) -> f64 {
        self
    }
    #[inline]
    fn nearest(value: f64) -> Self {
        value
    }
    #[inline]
    fn flushed(self) -> Self {
        if self.is_subnormal() { 0f64.copysign(self) } else { self }
    }
    #[inline]
    fn negated(self) -> Self {
        -self
    }
    #[inline]
    fn sum<const R: u8>(self, b: Self) -> Self {
        let result = if R == 0 { self + b } else { soft::add(self, b, Rounding::of(R)) };
        with_nan_of(result, [self, b])
    }
    #[inline]
    fn difference<const R: u8>(self, b: Self) -> Self {
        let result = if R == 0 { self - b } else { soft::add(self, -b, Rounding::of(R)) };
        with_nan_of(result, [self, b])
    }
    #[inline]
    fn product<const R: u8>(self, b: Self) -> Self {
        let result = if R == 0 { self * b } else { soft::mul(self, b, Rounding::of(R)) };
        with_nan_of(result, [self, b])
    }
    #[inline]
    fn quotient<const R: u8>(self, b: Self) -> Self {
        let result = if R == 0 { self / b } else { soft::div(self, b, Rounding::of(R)) };
        with_nan_of(result, [self, b])
    }
    #[inline]
    fn fused<const R: u8>(self, b: Self, c: Self) -> Self {
        let result = match R {
            0 => soft::fused(self, b, c),
            _ => soft::fma(self, b, c, Rounding::of(R)),
        };
        with_nan_of(result, [b, self, c])
    }
    #[inline]
    fn root<const R: u8>(self) -> Self {
        let result = if R == 0 { self.sqrt() } else { soft::sqrt(self, Rounding::of(R)) };
        with_nan_of(result, [self])
    }
    #[inline]
    fn result(self) -> u64 {
        self.bits()
    }
}

/// A type of 16 bits, of which `E` are the exponent's.
#[derive(Clone, Copy)]
pub(crate) struct Small<const E: u32>(u16);

/// `.f16`
pub(crate) type F16 = Small<5>;
/// `.bf16`
pub(crate) type BF16 = Small<8>;

impl<const E: u32> Small<E> {
    /// The format.
    pub(crate) const FORMAT: Format = Format::new(E, 15 - E);

    /// Rounds what is exact or rounded to odd.
    fn rounded<const R: u8>(value: f64) -> Self {
        Self(soft::narrow(value, Self::FORMAT, Rounding::of(R)) as u16)
    }

    fn is_nan(self) -> bool {
        self.0 & 0x7fff > ((1 << E) - 1) << (15 - E)
    }
}

impl<const E: u32> Word for Small<E> {
    fn of(bits: u64) -> Self {
        Self(bits as u16)
    }
    fn bits(self) -> u64 {
        self.0.into()
    }
}

impl<const E: u32> Real for Small<E> {
    #[inline]
    fn value(self) -> f64 {
        if E == 8 {
            return f64::from(f32::from_bits(u32::from(self.0) << 16));
        }
        soft::widen(self.0.into(), Self::FORMAT)
    }
    fn nearest(value: f64) -> Self {
        Self::rounded::<0>(value)
    }
    fn flushed(self) -> Self {
        if self.0 & (((1 << E) - 1) << (15 - E)) == 0 { Self(self.0 & 0x8000) } else { self }
    }
    fn negated(self) -> Self {
        Self(self.0 ^ 0x8000)
    }
    fn sum<const R: u8>(self, b: Self) -> Self {
        Self::rounded::<R>(round::odd(total::<R>(self.value(), b.value())))
    }
    fn product<const R: u8>(self, b: Self) -> Self {
        Self::rounded::<R>(self.value() * b.value())
    }
    fn quotient<const R: u8>(self, b: Self) -> Self {
        Self::rounded::<R>(round::odd(round::quotient(self.value() as f32, b.value() as f32)))
    }
    fn fused<const R: u8>(self, b: Self, c: Self) -> Self {
        let product = self.value() * b.value();
        Self::rounded::<R>(round::odd(total::<R>(product, c.value())))
    }
    fn root<const R: u8>(self) -> Self {
        Self::rounded::<R>(round::odd(round::root(self.value() as f32)))
    }
    fn result(self) -> u64 {
        if self.is_nan() { 0x7fff } else { self.bits() }
    }
}
