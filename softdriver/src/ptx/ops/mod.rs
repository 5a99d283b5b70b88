//! Arithmetic on the bits of registers.

mod compare;
mod convert;
mod float;
mod integer;
mod round;
mod word;

pub(crate) use compare::{combine, compare};
pub(crate) use convert::{Convert, Rounding, integer_conversion};
pub(crate) use float::{
    Modifiers, binary as float_binary, ternary as float_ternary, unary as float_unary,
};
pub(crate) use integer::{
    atomic, bfi, binary as integer_binary, carry, lop3, prmt, ternary as integer_ternary,
    unary as integer_unary,
};
