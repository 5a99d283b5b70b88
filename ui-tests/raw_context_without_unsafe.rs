//! The driver follows a context's handle unchecked: pushing one that is none kills the process (F6), or
//! leaves a destroyed context on the stack (F14). So taking one from foreign code is `unsafe`.

use cuscope::{Context, Result, ffi, foreign::Ownership};

fn misuse(handle: ffi::CUcontext) -> Result<Context> {
    Context::from_raw(handle, Ownership::Borrow)
}

fn main() {}
