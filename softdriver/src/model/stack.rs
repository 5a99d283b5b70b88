//! The context stack that every thread has.

use crate::entry::Answer;
use crate::model::context::Context;
use crate::model::life::Life;
use cuscope_sys::*;
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The entries of all stacks, those that a thread left behind at its end included.
static ENTRIES: AtomicUsize = AtomicUsize::new(0);

/// An entry of a context stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The address of the handle.
    pub context: usize,
    /// Whether the context was destroyed.
    pub destroyed: bool,
}

thread_local! {
    /// From bottom to top. Starts empty on every thread (F11).
    static STACK: RefCell<Vec<Arc<Context>>> = const { RefCell::new(Vec::new()) };
}

/// Works on the stack; a thread whose storage is gone has an empty one.
pub(crate) fn with<R>(f: impl FnOnce(&mut Vec<Arc<Context>>) -> R) -> R {
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

/// Pushes.
pub(crate) fn push(context: Arc<Context>) {
    with(|stack| stack.push(context));
}
