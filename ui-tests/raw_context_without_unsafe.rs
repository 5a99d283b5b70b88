//! The driver follows a context's handle unchecked: pushing one that is none kills the process (F6), or
//! leaves a destroyed context on the stack (F14). So taking one from foreign code is `unsafe`, and so is creating one from
//! parameters with pointers.

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
