//! A tensor of other code is `unsafe` to take.
//!
//! **Why:** Its pointers and its deleter are followed, and nothing proves which work on its memory is in flight. It
//! is a part of `tensor-checked`.
//!
//! **Mend:** Take it in an `unsafe` block that says so. See `ui-tests/mended/tensor_without_unsafe.rs`.
//!
//! **Mistake** (E0133):

use cuscope::foreign::dlpack::{DLManagedTensor, Tensor};
use cuscope::{PushedGuard, Result};
use std::ptr::NonNull;

fn misuse(gpu: &PushedGuard<'_>, raw: NonNull<DLManagedTensor>) -> Result {
    let tensor = Tensor::from_raw(raw);
    gpu.buffer_from_dlpack::<f32, _>(tensor).map(drop)
}

fn main() {}
