//! The context stack that every thread has.
#![allow(unsafe_code, reason = "exported functions")]

use crate::context::{self, Context, Life};
use crate::control::Entry;
use crate::entry::{self, Answer, driver};
use cuscope_sys::*;
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The entries of all stacks, those that a thread left behind at its end included.
static ENTRIES: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// From bottom to top. Starts empty on every thread (F11).
    static STACK: RefCell<Vec<Arc<Context>>> = const { RefCell::new(Vec::new()) };
}

/// Works on the stack; a thread whose storage is gone has an empty one.
fn with<R>(f: impl FnOnce(&mut Vec<Arc<Context>>) -> R) -> R {
    let mut f = Some(f);
    let run = |stack: &RefCell<Vec<Arc<Context>>>| {
        let stack = &mut stack.borrow_mut();
        let before = stack.len();
        let result = f.take().map(|f| f(stack));
        match stack.len() {
            after if after > before => ENTRIES.fetch_add(after - before, Ordering::Relaxed),
            after if after < before => ENTRIES.fetch_sub(before - after, Ordering::Relaxed),
            _ => 0,
        };
        result
    };
    let done = STACK.try_with(run).ok().flatten();
    match (done, f) {
        (Some(result), _) => result,
        (None, Some(f)) => f(&mut Vec::new()),
        (None, None) => unreachable!("`f` is either taken and run, or still here"),
    }
}

/// The depth.
pub(crate) fn depth() -> usize {
    with(|stack| stack.len())
}

/// The entries of the calling thread.
pub(crate) fn entries_of_thread() -> Vec<Entry> {
    let entry = |context: &Arc<Context>| Entry {
        context: context.handle().addr(),
        destroyed: !context.alive(),
    };
    with(|stack| stack.iter().map(entry).collect())
}

/// The entries of the stacks of all threads.
pub(crate) fn entries() -> usize {
    ENTRIES.load(Ordering::Relaxed)
}

/// The top, destroyed or not.
pub(crate) fn top() -> Option<Arc<Context>> {
    with(|stack| stack.last().cloned())
}

/// The current context, destroyed or not; 201 if there is none (F3).
pub(crate) fn current() -> Answer<Arc<Context>> {
    top().ok_or(CUDA_ERROR_INVALID_CONTEXT)
}

/// The life of the current context; 201 if none is current (F3), 709 if it was destroyed (F13).
pub(crate) fn current_life() -> Answer<Arc<Life>> {
    current()?.life()
}

/// The life to which memory, modules and events of the current context belong.
pub(crate) fn current_home() -> Answer<Arc<Life>> {
    Ok(current_life()?.home())
}

/// Pushes.
pub(crate) fn push(context: Arc<Context>) {
    with(|stack| stack.push(context));
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
    // SAFETY: the default action for a signal; nothing is installed that could be called.
    let _ = unsafe { libc::signal(libc::SIGSEGV, libc::SIG_DFL) };
    // SAFETY: raising a signal has no obligations.
    let _ = unsafe { libc::raise(libc::SIGSEGV) };
    std::process::abort()
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
