//! A tensor has one owner.
//!
//! **Why:** The buffer that takes it, or the other code that it is given to. It is a part of `tensor-checked`.
//!
//! **Mend:** Give it to one of them. See `ui-tests/mended/tensor_twice.rs`.
//!
//! **Mistake** (E0382):

use cuscope::foreign::dlpack::{DLManagedTensor, Tensor};
use cuscope::{PushedGuard, Result};

fn misuse(gpu: &PushedGuard<'_>, tensor: Tensor<DLManagedTensor>) -> Result {
    let _raw = tensor.into_raw();
    unsafe { gpu.buffer_from_dlpack::<f32, _>(tensor) }.map(drop)
}

fn main() {}
