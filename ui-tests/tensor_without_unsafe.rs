//! A tensor of other code is `unsafe` to take: its pointers and its deleter are followed, and nothing proves which work
//! on its memory is in flight.

use cuscope::foreign::dlpack::{DLManagedTensor, Tensor};
use cuscope::{PushedGuard, Result};
use std::ptr::NonNull;

fn misuse(gpu: &PushedGuard<'_>, raw: NonNull<DLManagedTensor>) -> Result {
    let tensor = Tensor::from_raw(raw);
    gpu.buffer_from_dlpack::<f32, _>(tensor).map(drop)
}

fn main() {}
