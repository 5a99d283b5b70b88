//! The mend of `ui-tests/value_not_plain_data.rs`. Derive `Pod` and `Zeroable`, and write padding as a field.

use cuscope::{Kernel, Value};

#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Params {
    scale: f64,
    count: u32,
    _padding: u32,
}

fn right(_: &Kernel<(Value<Params>,)>) {}

fn main() {}
