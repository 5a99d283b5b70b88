//! Exact arithmetic on whole numbers, for formats and roundings that the host
//! lacks: a value is `mantissa * 2^exponent`, rounded once at the end.

use super::convert::Rounding;
use super::round;

/// A binary format of IEEE's kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Format {
    /// Bits of the exponent.
    exponent: u32,
    /// Bits of the fraction.
    fraction: u32,
}

impl Format {
    /// A format of so many bits of exponent and fraction.
    pub(crate) const fn new(exponent: u32, fraction: u32) -> Self {
        Self { exponent, fraction }
    }

    const fn bias(self) -> i32 {
        (1 << (self.exponent - 1)) - 1
    }

    /// The bits of infinity, but for its sign.
    const fn infinity(self) -> u64 {
        ((1 << self.exponent) - 1) << self.fraction
    }

    const fn sign(self, negative: bool) -> u64 {
        (negative as u64) << (self.exponent + self.fraction)
    }
}

/// `.f64`
pub(crate) const F64: Format = Format::new(11, 52);
/// `.f32`
pub(crate) const F32: Format = Format::new(8, 23);

/// A finite value other than zero.
#[derive(Clone, Copy, Debug)]
struct Finite {
    negative: bool,
    exponent: i32,
    mantissa: u128,
    /// Whether something smaller than the last bit was cut off.
    more: bool,
}

/// The parts of a finite f64 other than zero, the mantissa's top bit being 52.
fn parts(value: f64) -> Finite {
    let bits = value.to_bits();
    let (field, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
    let (exponent, mantissa) = match field {
        0 => {
            let shift = fraction.leading_zeros() - 11;
            (-1074 - shift.cast_signed(), fraction << shift)
        }
        _ => (field - 1075, fraction | 1 << 52),
    };
    let mantissa = u128::from(mantissa);
    Finite { negative: value.is_sign_negative(), exponent, mantissa, more: false }
}

impl Finite {
    /// The same value with the mantissa's top bit at 125.
    fn at_the_top(mut self) -> Self {
        let shift = self.mantissa.leading_zeros() - 2;
        self.mantissa <<= shift;
        self.exponent -= shift.cast_signed();
        self
    }

    /// The bits of the value rounded to a format.
    fn round(self, format: Format, rounding: Rounding) -> u64 {
        let sign = format.sign(self.negative);
        let top = self.exponent + 127 - self.mantissa.leading_zeros().cast_signed();
        // The exponent of the result's last bit.
        let mut last = top.max(1 - format.bias()) - format.fraction.cast_signed();
        let shift = last - self.exponent;
        let (mut whole, half, rest) = match shift {
            ..=0 => (self.mantissa << shift.unsigned_abs().min(127), false, self.more),
            1..=127 => {
                let half = 1u128 << (shift - 1);
                let cut = self.mantissa & (half | (half - 1));
                (self.mantissa >> shift, cut & half != 0, cut & (half - 1) != 0 || self.more)
            }
            _ => (0, false, true),
        };
        let inexact = half || rest;
        let up = match rounding {
            Rounding::Nearest => half && (rest || whole & 1 == 1),
            Rounding::Zero => false,
            Rounding::Down => self.negative && inexact,
            Rounding::Up => !self.negative && inexact,
        };
        whole += u128::from(up);
        if whole >> (format.fraction + 1) != 0 {
            whole >>= 1;
            last += 1;
        }
        let normal = whole >> format.fraction != 0;
        let field = if normal { last + format.fraction.cast_signed() + format.bias() } else { 0 };
        if field >= (1 << format.exponent) - 1 {
            let away = match rounding {
                Rounding::Nearest => true,
                Rounding::Zero => false,
                Rounding::Down => self.negative,
                Rounding::Up => !self.negative,
            };
            return sign | (format.infinity() - u64::from(!away));
        }
        let fraction = whole as u64 & ((1 << format.fraction) - 1);
        sign | (field as u64) << format.fraction | fraction
    }
}

/// The bits of an f64 rounded to a format that has infinities; NaN is all ones
/// but for the sign.
pub(crate) fn narrow(value: f64, format: Format, rounding: Rounding) -> u64 {
    match value {
        _ if value.is_nan() => format.sign(true) - 1,
        _ if value == 0.0 => format.sign(value.is_sign_negative()),
        _ if value.is_infinite() => format.sign(value.is_sign_negative()) | format.infinity(),
        _ => parts(value).round(format, rounding),
    }
}

/// The bits of a whole number rounded to a format.
pub(crate) fn of_integer(value: i128, format: Format, rounding: Rounding) -> u64 {
    if value == 0 {
        return 0;
    }
    let mantissa = value.unsigned_abs();
    Finite { negative: value < 0, exponent: 0, mantissa, more: false }.round(format, rounding)
}

/// The value of a format's bits.
pub(crate) fn widen(bits: u64, format: Format) -> f64 {
    let negative = bits & format.sign(true) != 0;
    let fraction = bits & ((1 << format.fraction) - 1);
    let field = (bits >> format.fraction) as i32 & ((1 << format.exponent) - 1);
    let magnitude = match field {
        0 => fraction as f64 * power(1 - format.bias() - format.fraction.cast_signed()),
        _ if field == (1 << format.exponent) - 1 => {
            if fraction == 0 {
                f64::INFINITY
            } else {
                f64::NAN
            }
        }
        _ => {
            let field = (field - format.bias() + 1023) as u64;
            f64::from_bits(field << 52 | fraction << (52 - format.fraction))
        }
    };
    if negative { -magnitude } else { magnitude }
}

/// 2 to a power that f64 has as a normal number.
fn power(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

fn result(value: Finite, rounding: Rounding) -> f64 {
    f64::from_bits(value.round(F64, rounding))
}

/// Whether the host's fused operations are MinGW's, which round twice and lose the sign of what is too small.
const HOST_ROUNDS_TWICE: bool = cfg!(all(windows, target_env = "gnu"));

/// `a * b + c`, rounded once, to nearest.
#[inline]
pub(crate) fn fused(a: f64, b: f64, c: f64) -> f64 {
    if HOST_ROUNDS_TWICE { fma(a, b, c, Rounding::Nearest) } else { a.mul_add(b, c) }
}

/// The same for `.f32`.
#[inline]
pub(crate) fn fused_f32(a: f32, b: f32, c: f32) -> f32 {
    if HOST_ROUNDS_TWICE { fma_f32(a, b, c) } else { a.mul_add(b, c) }
}

/// f64 has the product. The sum is rounded to odd, so that rounding it again is rounding it once.
fn fma_f32(a: f32, b: f32, c: f32) -> f32 {
    round::odd(round::sum(f64::from(a) * f64::from(b), c.into())) as f32
}

/// `a * b + c`, rounded once.
pub(crate) fn fma(a: f64, b: f64, c: f64, rounding: Rounding) -> f64 {
    if !(a.is_finite() && b.is_finite()) {
        return a * b + c;
    }
    if !c.is_finite() {
        return c;
    }
    if a == 0.0 || b == 0.0 {
        return zero_and(a * b, c, rounding);
    }
    let (x, y) = (parts(a), parts(b));
    let product = Finite {
        negative: x.negative != y.negative,
        exponent: x.exponent + y.exponent,
        mantissa: x.mantissa * y.mantissa,
        more: false,
    };
    if c == 0.0 {
        return result(product, rounding);
    }
    sum(product, parts(c), rounding)
}

/// `a + b`, rounded once.
pub(crate) fn add(a: f64, b: f64, rounding: Rounding) -> f64 {
    match () {
        () if !(a.is_finite() && b.is_finite()) => a + b,
        () if a == 0.0 => zero_and(a, b, rounding),
        () if b == 0.0 => a,
        () => sum(parts(a), parts(b), rounding),
    }
}

/// `a * b`, rounded once.
pub(crate) fn mul(a: f64, b: f64, rounding: Rounding) -> f64 {
    if !(a.is_finite() && b.is_finite()) || a == 0.0 || b == 0.0 {
        return a * b;
    }
    let (x, y) = (parts(a), parts(b));
    let (exponent, mantissa) = (x.exponent + y.exponent, x.mantissa * y.mantissa);
    result(Finite { negative: x.negative != y.negative, exponent, mantissa, more: false }, rounding)
}

/// `zero + c`, the first being a zero.
fn zero_and(zero: f64, c: f64, rounding: Rounding) -> f64 {
    match () {
        () if c != 0.0 || zero.is_sign_negative() == c.is_sign_negative() => c,
        () if rounding == Rounding::Down => -0.0,
        () => 0.0,
    }
}

fn sum(a: Finite, b: Finite, rounding: Rounding) -> f64 {
    let (a, b) = (a.at_the_top(), b.at_the_top());
    let (mut big, small) = if a.exponent >= b.exponent { (a, b) } else { (b, a) };
    let distance = (big.exponent - small.exponent).unsigned_abs();
    let (shifted, more) = match distance {
        0 => (small.mantissa, false),
        1..=127 => {
            let shifted = small.mantissa >> distance;
            (shifted, shifted << distance != small.mantissa)
        }
        _ => (0, true),
    };
    big.more = more;
    if big.negative == small.negative {
        big.mantissa += shifted;
    } else if big.mantissa >= shifted {
        // The bits that were cut off are subtracted too: the bits before them are one less.
        big.mantissa = big.mantissa - shifted - u128::from(more);
    } else {
        big.mantissa = shifted - big.mantissa;
        big.negative = small.negative;
    }
    if big.mantissa == 0 {
        return if rounding == Rounding::Down { -0.0 } else { 0.0 };
    }
    result(big, rounding)
}

/// `a / b`, rounded once.
pub(crate) fn div(a: f64, b: f64, rounding: Rounding) -> f64 {
    if !(a.is_finite() && b.is_finite()) || a == 0.0 || b == 0.0 {
        return a / b;
    }
    let (x, y) = (parts(a), parts(b));
    let dividend = x.mantissa << 74;
    let value = Finite {
        negative: x.negative != y.negative,
        exponent: x.exponent - y.exponent - 74,
        mantissa: dividend / y.mantissa,
        more: dividend % y.mantissa != 0,
    };
    result(value, rounding)
}

/// The square root of `a`, rounded once.
pub(crate) fn sqrt(a: f64, rounding: Rounding) -> f64 {
    if !a.is_finite() || a <= 0.0 {
        return a.sqrt();
    }
    let mut x = parts(a);
    // An even exponent, and as many bits as there is room for.
    let shift = 72 + (x.exponent & 1);
    x.mantissa <<= shift;
    x.exponent -= shift;
    let root = x.mantissa.isqrt();
    let more = root * root != x.mantissa;
    result(Finite { negative: false, exponent: x.exponent / 2, mantissa: root, more }, rounding)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of every magnitude, among them subnormal ones.
    fn numbers() -> Vec<f64> {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut list = vec![0.0, -0.0, f64::MAX, f64::MIN_POSITIVE, 5e-324, 1.0, -1.0, 1.5];
        for i in 0..300 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let near = f64::from_bits(1023 << 52 | state >> 12);
            list.push(match i % 3 {
                0 => f64::from_bits(state),
                1 => near,
                _ => -near * 1.25e-7,
            });
        }
        list.retain(|value| value.is_finite());
        list
    }

    #[test]
    fn to_nearest_is_what_the_host_gives() {
        let nearest = Rounding::Nearest;
        let numbers = numbers();
        for &a in &numbers {
            assert_eq!(narrow(a, F32, nearest), u64::from((a as f32).to_bits()), "{a:e}");
            assert_eq!(sqrt(a, nearest).to_bits(), a.sqrt().to_bits(), "sqrt {a:e}");
            for &b in &numbers {
                assert_eq!(add(a, b, nearest).to_bits(), (a + b).to_bits(), "{a:e} + {b:e}");
                assert_eq!(mul(a, b, nearest).to_bits(), (a * b).to_bits(), "{a:e} * {b:e}");
                if b != 0.0 {
                    assert_eq!(div(a, b, nearest).to_bits(), (a / b).to_bits(), "{a:e} / {b:e}");
                }
                for c in [1.0, -a * b, a, 1e-300] {
                    let (own, host) = (fma(a, b, c, nearest), fused(a, b, c));
                    assert_eq!(own.to_bits(), host.to_bits(), "{a:e} * {b:e} + {c:e}");
                }
            }
        }
    }

    /// Numbers of every magnitude of an f32, infinities, and NaN.
    #[test]
    fn a_fused_f32_is_what_a_host_gives_that_rounds_once() {
        let bits = |value: &f64| value.to_bits();
        let numbers: Vec<f32> =
            numbers().iter().map(|value| f32::from_bits((bits(value) >> 32) as u32)).collect();
        for &a in &numbers {
            for &b in &numbers {
                for c in [1.0, -a * b, a, 1e-40, -0.0] {
                    let (own, host) = (fma_f32(a, b, c), fused_f32(a, b, c));
                    let same = own.to_bits() == host.to_bits() || own.is_nan() && host.is_nan();
                    assert!(same, "{a:e} * {b:e} + {c:e}: {own:e}, not {host:e}");
                }
            }
        }
        // MinGW's gives 0.
        let tiny = (f32::from_bits(0x9111_fbe8), f32::from_bits(0x31));
        assert_eq!(fused_f32(tiny.0, tiny.1, 0.0).to_bits(), 1 << 31);
        assert_eq!(fused(5e-324, -0.25, 0.0).to_bits(), 1 << 63);
    }

    #[test]
    fn directions_enclose_the_exact_value() {
        let numbers = numbers();
        for &a in &numbers {
            for &b in &numbers {
                for f in [add, mul, div] {
                    let near = f(a, b, Rounding::Nearest);
                    if near.is_nan() || (b == 0.0 && f(a, b, Rounding::Zero).is_infinite()) {
                        continue;
                    }
                    let (down, up) = (f(a, b, Rounding::Down), f(a, b, Rounding::Up));
                    assert!(down <= near && near <= up, "{a:e} {b:e}");
                    assert!(down == up || down.next_up() == up, "{a:e} {b:e}: {down:e} {up:e}");
                    let zero = f(a, b, Rounding::Zero);
                    assert!(zero == if near < 0.0 { up } else { down } || near == 0.0);
                }
            }
        }
        assert_eq!(add(1.0, -1.0, Rounding::Down).to_bits(), (-0.0f64).to_bits());
        assert_eq!(mul(f64::MAX, 2.0, Rounding::Zero), f64::MAX);
        assert_eq!(mul(5e-324, 0.25, Rounding::Up), 5e-324);
    }

    #[test]
    fn small_formats_come_back() {
        for format in [Format::new(5, 10), Format::new(8, 7)] {
            for bits in 0..=u16::MAX {
                let value = widen(bits.into(), format);
                if !value.is_nan() {
                    assert_eq!(narrow(value, format, Rounding::Up), u64::from(bits));
                }
            }
        }
        assert_eq!(narrow(65519.0, Format::new(5, 10), Rounding::Nearest), 0x7bff);
        assert_eq!(narrow(65520.0, Format::new(5, 10), Rounding::Nearest), 0x7c00);
        assert_eq!(narrow(1e9, Format::new(5, 10), Rounding::Zero), 0x7bff);
    }
}
