//! The driver functions about [`stack`](crate::model::stack).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::entry::{self, Answer};
use crate::model::context;
use crate::model::context::Context;
use crate::model::life::Life;
use crate::model::stack::{current_life, push, top, with};
use cuscope_sys::*;
use std::sync::Arc;

/// The life to which memory, modules and events of the current context belong.
pub(crate) fn current_home() -> Answer<Arc<Life>> {
    Ok(current_life()?.home())
}

/// Pops `context` if it is the top (F12).
pub(crate) fn pop_if_top(context: &Arc<Context>) {
    let _popped = with(|stack| {
        let is_top = stack.last().is_some_and(|top| Arc::ptr_eq(top, context));
        if is_top { stack.pop() } else { None }
    });
}

/// A handle that never was one: the real driver follows it and dies (F6).
fn die(handle: CUcontext) -> ! {
    eprintln!("cuscope-softdriver: {handle:p} is no context; a driver dies of this");
    bad_access();
    std::process::abort()
}

/// Ends the process as an access to memory that is not there does.
#[cfg(unix)]
fn bad_access() {
    // SAFETY: the default action for a signal; nothing is installed that could be called.
    let _ = unsafe { libc::signal(libc::SIGSEGV, libc::SIG_DFL) };
    // SAFETY: raising a signal has no obligations.
    let _ = unsafe { libc::raise(libc::SIGSEGV) };
}

/// Ends the process as an access to memory that is not there does.
#[cfg(windows)]
fn bad_access() {
    const STATUS_ACCESS_VIOLATION: u32 = 0xc000_0005;
    const NONCONTINUABLE: u32 = 1;
    #[link(name = "kernel32", kind = "raw-dylib")]
    unsafe extern "system" {
        fn RaiseException(code: u32, flags: u32, count: u32, arguments: *const usize);
    }
    // SAFETY: an exception without arguments has no obligations.
    unsafe { RaiseException(STATUS_ACCESS_VIOLATION, NONCONTINUABLE, 0, core::ptr::null()) };
}

/// The context of a handle that is to be pushed or set; INVALID_VALUE for null, death for what never
/// was one.
fn known(handle: CUcontext) -> Answer<Arc<Context>> {
    if handle.is_null() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    match context::find_any(handle) {
        Some(_) => context::find(handle),
        None => die(handle),
    }
}

driver! {
    /// Pushes; a destroyed context too (F14).
    fn cuCtxPushCurrent_v2(ctx: CUcontext) [after_fault] {
        push(known(ctx)?);
        Ok(())
    }
    /// Pops, whatever the top is.
    fn cuCtxPopCurrent_v2(pctx: *mut CUcontext) [after_fault] {
        let popped = with(Vec::pop).ok_or(CUDA_ERROR_INVALID_CONTEXT)?;
        entry::write_optional(pctx, popped.handle());
        Ok(())
    }
    /// Replaces the top; pushes on an empty stack; null pops (F7).
    fn cuCtxSetCurrent(ctx: CUcontext) [after_fault] {
        if ctx.is_null() {
            let _popped = with(Vec::pop);
            return Ok(());
        }
        let context = known(ctx)?;
        let _replaced = with(|stack| {
            let replaced = stack.pop();
            stack.push(context);
            replaced
        });
        Ok(())
    }
    /// The top, or null (F4).
    fn cuCtxGetCurrent(pctx: *mut CUcontext) [after_fault] {
        entry::write(pctx, top().map_or(std::ptr::null_mut(), |context| context.handle()))
    }
}
