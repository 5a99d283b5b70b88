//! Every size, alignment, offset and value of the declarations against figures that NVIDIA's headers gave, which are in
//! `table.rs`: no header is needed here. The test `headers` renews them, where `CUDA_INCLUDE` names one.
#![cfg(target_pointer_width = "64")]
#![allow(
    unsafe_code,
    clippy::multiple_unsafe_ops_per_block,
    reason = "the bits of a constant, whatever its type"
)]

use cuscope_sys::*;
use std::mem::{self, align_of, offset_of, size_of};

/// The bits of a constant: an integer, a type of one, or a pointer. Beside it those of the figure, as far as the type goes.
fn bits<T: Copy>(value: &T, figure: i64) -> (i64, i64) {
    let bits = size_of::<T>() * 8;
    let mask = if bits == 64 { -1 } else { (1 << bits) - 1 };
    // SAFETY: the constants are integers, types of one integer, or pointers, without padding; as wide as is read.
    let read = unsafe {
        match size_of::<T>() {
            1 => i64::from(mem::transmute_copy::<T, u8>(value)),
            4 => i64::from(mem::transmute_copy::<T, u32>(value)),
            8 => mem::transmute_copy::<T, i64>(value),
            other => panic!("a constant of {other} bytes"),
        }
    };
    (read, figure & mask)
}

/// Asserts that all pairs are equal, and that there are as many as are known.
fn all_equal(pairs: &[(&str, i64, i64)], least: usize) {
    let other: Vec<_> = pairs.iter().filter(|(_, is, figure)| is != figure).collect();
    assert!(other.is_empty(), "name, declared, figure: {other:#?}");
    assert!(pairs.len() >= least, "{} figures", pairs.len());
}

macro_rules! sizes {
    ($($name:ident = $size:literal, $align:literal;)*) => {
        #[test]
        fn every_size_is_that_of_the_header() {
            all_equal(&[$((stringify!($name), size_of::<$name>() as i64, $size)),*], 220);
            all_equal(&[$((stringify!($name), align_of::<$name>() as i64, $align)),*], 220);
        }
    };
}

macro_rules! offsets {
    ($($name:ident.$($field:ident).+ = $offset:literal,)*) => {
        #[test]
        fn every_field_is_where_the_header_has_it() {
            all_equal(
                &[$((
                    stringify!($name.$($field).+),
                    offset_of!($name, $($field).+) as i64,
                    $offset,
                )),*],
                600,
            );
        }
    };
}

macro_rules! constants {
    ($($name:ident$(::$constant:ident)? = $value:expr,)*) => {
        #[test]
        fn every_constant_is_that_of_the_header() {
            let mut pairs = Vec::new();
            $(
                let (is, figure) = value!($name$(::$constant)?, $value);
                pairs.push((stringify!($name$(::$constant)?), is, figure));
            )*
            all_equal(&pairs, 1100);
        }
    };
}

macro_rules! value {
    ($name:ident, $figure:expr) => {
        bits(&$name, $figure)
    };
    ($name:ident::$constant:ident, $figure:expr) => {
        bits(&$name::$constant.bits(), $figure)
    };
}

include!("table.rs");
