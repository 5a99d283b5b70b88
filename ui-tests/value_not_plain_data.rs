//! A kernel takes a struct by value if it is plain data.
//!
//! **Why:** The driver copies all bytes of the argument. It is a part of `plain-data`.
//!
//! **Mend:** Derive `Pod` and `Zeroable`, and write padding as a field. See
//! `ui-tests/mended/value_not_plain_data.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{Kernel, Value};

#[derive(Clone, Copy)]
#[repr(C)]
struct Params {
    scale: f64,
    count: u32,
}

fn misuse(_: &Kernel<(Value<Params>,)>) {}

fn main() {}
