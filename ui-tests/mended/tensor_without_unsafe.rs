//! The mend of `ui-tests/tensor_without_unsafe.rs`. Take it in an `unsafe` block that says so.

use cuscope::foreign::dlpack::{DLManagedTensor, Tensor};
use cuscope::{PushedGuard, Result};
use std::ptr::NonNull;

fn right(gpu: &PushedGuard<'_>, raw: NonNull<DLManagedTensor>) -> Result {
    // SAFETY: a tensor that nobody else has, as its specification says.
    let tensor = unsafe { Tensor::from_raw(raw) };
    // SAFETY: no work on its memory is in flight.
    unsafe { gpu.buffer_from_dlpack::<f32, _>(tensor) }.map(drop)
}

fn main() {}
