//! The mend of `ui-tests/signature_is_sealed.rs`. Write a struct by value as `Value<Struct>`.

use cuscope::kernel::{Parameter, Signature, Value};

#[derive(Clone, Copy, bytemuck::NoUninit)]
#[repr(C)]
struct Mine(u32);

fn signature<S: Signature>() {}

fn parameter<P: Parameter>() {}

fn right() {
    signature::<(Value<Mine>,)>();
    parameter::<Value<Mine>>();
}

fn main() {}
