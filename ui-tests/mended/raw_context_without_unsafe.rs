//! The mend of `ui-tests/raw_context_without_unsafe.rs`. Write an `unsafe` block that says why the context is alive,
//! and the pointers valid.

use cuscope::{Context, ContextFlags, Device, Result, ffi, foreign::Ownership};

fn right(handle: ffi::CUcontext) -> Result<Context> {
    // SAFETY: a context that is alive, and outlives what we make.
    unsafe { Context::from_raw(handle, Ownership::Borrow) }
}

fn green(handle: ffi::CUgreenCtx) -> Result<Context> {
    // SAFETY: as above.
    unsafe { Context::from_raw_green(handle) }
}

fn of_parameters(device: Device, parameters: ffi::CUctxCreateParams) -> Result<Context> {
    // SAFETY: the pointers of the parameters are valid.
    unsafe { Context::create_with_params(device, ContextFlags::default(), parameters) }
}

fn main() {}
