//! Arithmetic on the bits of registers.

mod atomic;
mod compare;
mod convert;
mod float;
mod integer;
pub(crate) mod lanes;
mod real;
mod round;
mod soft;
mod video;
pub(crate) mod wide;
mod word;

use real::Real as _;
use word::Word as _;

pub(crate) use atomic::atomic;
pub(crate) use compare::{combine, compare};
pub(crate) use convert::{Convert, Rounding, common, integer_conversion, truncation};
pub(crate) use float::{
    Modifiers, binary as float_binary, fma_f32, ternary as float_ternary, unary as float_unary,
};
pub(crate) use integer::{
    bfi, binary as integer_binary, carry, dot, prmt, table, ternary as integer_ternary,
    unary as integer_unary,
};
pub(crate) use lanes::{Binary, Row, Ternary, Unary};
pub(crate) use soft::fused;
#[cfg(test)]
pub(crate) use soft::fused_f32;
pub(crate) use video::{End, Select, Video, What};

/// The value of an f16's bits.
pub(crate) fn value_f16(bits: u64) -> f64 {
    real::F16::of(bits).value()
}

/// The bits of the f16 nearest to a value.
pub(crate) fn bits_f16(value: f64) -> u64 {
    real::F16::nearest(value).result()
}
