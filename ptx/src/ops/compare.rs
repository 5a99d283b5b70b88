//! Comparisons, of `setp` and `set`.

use super::super::types::{Kind, Type};
use super::float::flush;
use super::lanes::Binary;
use super::real::{BF16, F16, Real as _};
use super::word::Word;

macro_rules! test {
    ($t:ty, $ftz:expr, |$a:ident, $b:ident| $body:expr) => {
        if $ftz {
            &|a: u64, b: u64| {
                let ($a, $b) = (flush(<$t>::of(a)).value(), flush(<$t>::of(b)).value());
                u64::from($body)
            }
        } else {
            &|a: u64, b: u64| {
                let ($a, $b) = (<$t>::of(a).value(), <$t>::of(b).value());
                u64::from($body)
            }
        }
    };
}

macro_rules! integer_tests {
    ($operator:expr, $t:ty) => {{
        let f: Binary = match $operator {
            "eq" => &|a: u64, b: u64| u64::from(<$t>::of(a) == <$t>::of(b)),
            "ne" => &|a: u64, b: u64| u64::from(<$t>::of(a) != <$t>::of(b)),
            "lt" | "lo" => &|a: u64, b: u64| u64::from(<$t>::of(a) < <$t>::of(b)),
            "le" | "ls" => &|a: u64, b: u64| u64::from(<$t>::of(a) <= <$t>::of(b)),
            "gt" | "hi" => &|a: u64, b: u64| u64::from(<$t>::of(a) > <$t>::of(b)),
            "ge" | "hs" => &|a: u64, b: u64| u64::from(<$t>::of(a) >= <$t>::of(b)),
            _ => return None,
        };
        Some(f)
    }};
}

macro_rules! float_tests {
    ($operator:expr, $t:ty, $ftz:expr) => {{
        let f: Binary = match $operator {
            "eq" => test!($t, $ftz, |a, b| a == b),
            "ne" => test!($t, $ftz, |a, b| a != b && !a.is_nan() && !b.is_nan()),
            "lt" => test!($t, $ftz, |a, b| a < b),
            "le" => test!($t, $ftz, |a, b| a <= b),
            "gt" => test!($t, $ftz, |a, b| a > b),
            "ge" => test!($t, $ftz, |a, b| a >= b),
            "equ" => test!($t, $ftz, |a, b| a == b || a.is_nan() || b.is_nan()),
            "neu" => test!($t, $ftz, |a, b| a != b),
            "ltu" => test!($t, $ftz, |a, b| a.is_nan() || b.is_nan() || a < b),
            "leu" => test!($t, $ftz, |a, b| a.is_nan() || b.is_nan() || a <= b),
            "gtu" => test!($t, $ftz, |a, b| a.is_nan() || b.is_nan() || a > b),
            "geu" => test!($t, $ftz, |a, b| a.is_nan() || b.is_nan() || a >= b),
            "num" => test!($t, $ftz, |a, b| !(a.is_nan() || b.is_nan())),
            "nan" => test!($t, $ftz, |a, b| a.is_nan() || b.is_nan()),
            _ => return None,
        };
        Some(f)
    }};
}

/// The test of an operator on a type: 1 or 0.
pub(crate) fn compare(operator: &str, ty: Type, ftz: bool) -> Option<Binary> {
    let signed = matches!(operator, "eq" | "ne" | "lt" | "le" | "gt" | "ge");
    let equality = matches!(operator, "eq" | "ne");
    match (ty.kind, ty.bytes) {
        (Kind::Float, 2) => float_tests!(operator, F16, ftz),
        (Kind::Brain, _) => float_tests!(operator, BF16, ftz),
        (Kind::Float, 4) => float_tests!(operator, f32, ftz),
        (Kind::Float, 8) if !ftz => float_tests!(operator, f64, false),
        _ if ftz => None,
        (Kind::Bits, _) if !equality => None,
        (Kind::Unsigned | Kind::Bits, 2) => integer_tests!(operator, u16),
        (Kind::Unsigned | Kind::Bits, 4) => integer_tests!(operator, u32),
        (Kind::Unsigned | Kind::Bits, 8) => integer_tests!(operator, u64),
        (Kind::Signed, 2) if signed => integer_tests!(operator, i16),
        (Kind::Signed, 4) if signed => integer_tests!(operator, i32),
        (Kind::Signed, 8) if signed => integer_tests!(operator, i64),
        _ => None,
    }
}

/// How a test is joined with a predicate.
pub(crate) fn combine(operator: &str) -> Option<Binary> {
    match operator {
        "and" => Some(&|a: u64, b: u64| a & b),
        "or" => Some(&|a: u64, b: u64| a | b),
        "xor" => Some(&|a: u64, b: u64| a ^ b),
        _ => None,
    }
}
