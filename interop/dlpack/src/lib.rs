//! Tensors for Python: page-locked memory for NumPy, and memory of the device that goes out and comes back.

use cuscope::foreign::dlpack::{DLManagedTensor, DLManagedTensorVersioned, Tensor};
use cuscope::{Context, ContextStack, Device, Result};
use std::ptr::{self, NonNull};

/// Calls `f` with a guard of the primary context. Null stands for an error, which is printed.
fn with_gpu<R>(f: impl FnOnce(&cuscope::PushedGuard<'_>) -> Result<*mut R>) -> *mut R {
    let answer = Device::get(0).and_then(Context::primary).and_then(|context| {
        ContextStack::reentrant(|stack| f(&stack.push(&context)?))
    });
    answer.unwrap_or_else(|error| {
        eprintln!("{error}");
        ptr::null_mut()
    })
}

/// A tensor of `rows` by `columns` numbers, counted from 0, in page-locked memory.
#[unsafe(no_mangle)]
pub extern "C" fn pinned(rows: usize, columns: usize) -> *mut DLManagedTensorVersioned {
    with_gpu(|gpu| {
        let mut pinned = gpu.pinned::<f32>(rows * columns)?;
        pinned.iter_mut().enumerate().for_each(|(at, number)| *number = at as f32);
        let tensor: Tensor = pinned.into_dlpack(&[rows, columns])?;
        Ok(tensor.into_raw().as_ptr())
    })
}

/// A tensor of `len` numbers, all 7, on the device.
#[unsafe(no_mangle)]
pub extern "C" fn sevens(len: usize) -> *mut DLManagedTensor {
    with_gpu(|gpu| {
        let (stream, mut x) = (gpu.stream()?, gpu.alloc::<f32>(len)?);
        gpu.on(&stream).fill(&mut x, 7.0)?;
        let tensor: Tensor<DLManagedTensor> = x.into_dlpack(&[len])?;
        Ok(tensor.into_raw().as_ptr())
    })
}

/// The sum of a tensor on the device, or NaN. Takes the tensor, which no work is in flight on.
///
/// # Safety
/// 1. The pointer is null, or leads to a tensor that the caller owns and nothing uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sum(tensor: *mut DLManagedTensor) -> f32 {
    let Some(tensor) = NonNull::new(tensor) else { return f32::NAN };
    // SAFETY: 1. and 2. The caller's obligation 1; the deleters of Python's frameworks may be called on any thread.
    let tensor = unsafe { Tensor::from_raw(tensor) };
    let mut sum = f32::NAN;
    with_gpu(|gpu| {
        // SAFETY: 1. and 2. The caller's obligation 1.
        let x = unsafe { gpu.buffer_from_dlpack::<f32, _>(tensor) }?;
        let stream = gpu.stream()?;
        sum = gpu.on(&stream).to_vec(&x)?.iter().sum();
        Ok(ptr::null_mut::<()>())
    });
    sum
}
