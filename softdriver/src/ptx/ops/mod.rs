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
mod word;

pub(crate) use atomic::atomic;
pub(crate) use compare::{combine, compare};
pub(crate) use convert::{Convert, Rounding, common, integer_conversion, truncation};
pub(crate) use float::{
    Modifiers, binary as float_binary, ternary as float_ternary, unary as float_unary,
};
pub(crate) use integer::{
    bfi, binary as integer_binary, carry, dot, prmt, table, ternary as integer_ternary,
    unary as integer_unary,
};
pub(crate) use lanes::{Binary, Row, Ternary, Unary};
