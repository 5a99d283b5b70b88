//! Taking a context from foreign code is `unsafe`, and so is creating one from parameters with pointers.
//!
//! **Why:** The driver follows a context's handle unchecked. Pushing one that is none kills the process (F6), or
//! leaves a destroyed context on the stack (F14). It is a part of `ended-once`.
//!
//! **Mend:** Write an `unsafe` block that says why the context is alive, and the pointers valid. See
//! `ui-tests/mended/raw_context_without_unsafe.rs`.
//!
//! **Mistake** (E0133):

use cuscope::{Context, ContextFlags, Device, Result, ffi, foreign::Ownership};

fn misuse(handle: ffi::CUcontext) -> Result<Context> {
    Context::from_raw(handle, Ownership::Borrow)
}

fn green(handle: ffi::CUgreenCtx) -> Result<Context> {
    Context::from_raw_green(handle)
}

fn of_parameters(device: Device, parameters: ffi::CUctxCreateParams) -> Result<Context> {
    Context::create_with_params(device, ContextFlags::default(), parameters)
}

fn main() {}
