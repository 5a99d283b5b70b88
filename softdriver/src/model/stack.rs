//! The context stack that every thread has.
#![cfg_attr(
    unix,
    allow(unsafe_code, reason = "a key of the system's, whose destructor is the last")
)]

use crate::entry::Answer;
use crate::model::context::Context;
use crate::model::life::Life;
use cuscope_sys::*;
use std::cell::RefCell;
use std::mem::ManuallyDrop;
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
    /// From bottom to top. Starts empty on every thread (F11). Without a destructor, as destructors of a thread's values,
    /// exit handlers, and destructors of keys use it (F654): [`end`] frees what it has.
    static STACK: RefCell<ManuallyDrop<Vec<Arc<Context>>>> = const { RefCell::new(ManuallyDrop::new(Vec::new())) };
}

/// Works on the stack.
pub(crate) fn with<R>(f: impl FnOnce(&mut Vec<Arc<Context>>) -> R) -> R {
    STACK.with(|stack| {
        let stack = &mut **stack.borrow_mut();
        let before = stack.len();
        let result = f(stack);
        match stack.len() {
            after if after > before => {
                end::arrange();
                ENTRIES.fetch_add(after - before, Ordering::Relaxed)
            }
            after if after < before => ENTRIES.fetch_sub(before - after, Ordering::Relaxed),
            _ => 0,
        };
        result
    })
}

/// Frees the stack of a thread that ends, after all of the program's destructors.
#[cfg(unix)]
mod end {
    use super::STACK;
    use std::cell::Cell;
    use std::ffi::c_void;
    use std::mem;
    use std::ptr::without_provenance;
    use std::sync::OnceLock;

    /// The destructors of keys run four times in a row (`PTHREAD_DESTRUCTOR_ITERATIONS` of POSIX), as long as one of them
    /// sets a value again. The last round is left to tools: the thread sanitizer's ends what it knows of the thread, and no code
    /// may run behind that.
    const ROUNDS: usize = 3;

    thread_local! {
        static ARRANGED: Cell<bool> = const { Cell::new(false) };
    }

    /// The key, whose value is the round that comes next.
    fn key() -> Option<libc::pthread_key_t> {
        static KEY: OnceLock<Option<libc::pthread_key_t>> = OnceLock::new();
        *KEY.get_or_init(|| {
            let mut key = 0;
            // SAFETY: room for the key, and a function that takes any value.
            let code = unsafe { libc::pthread_key_create(&raw mut key, Some(round)) };
            (code == 0).then_some(key)
        })
    }

    /// Has the stack of this thread freed at its end. If the system has no more keys, it stays.
    pub(super) fn arrange() {
        if !ARRANGED.replace(true) {
            set(1);
        }
    }

    fn set(round: usize) {
        if let Some(key) = key() {
            // SAFETY: a key that exists; the value is only a number.
            let _full = unsafe { libc::pthread_setspecific(key, without_provenance(round)) };
        }
    }

    /// A round of destructors: the last one frees.
    unsafe extern "C" fn round(round: *mut c_void) {
        if round.addr() < ROUNDS {
            set(round.addr() + 1);
        } else {
            let left = STACK.with(|stack| mem::take(&mut **stack.borrow_mut()));
            drop(left);
        }
    }
}

/// Frees the stack of a thread that ends.
#[cfg(not(unix))]
mod end {
    use super::STACK;
    use std::mem;

    /// Frees the stack when it is dropped.
    struct End;

    impl Drop for End {
        fn drop(&mut self) {
            let left = STACK.with(|stack| mem::take(&mut **stack.borrow_mut()));
            drop(left);
        }
    }

    thread_local! {
        static END: End = const { End };
    }

    /// Has the stack of this thread freed at its end.
    pub(super) fn arrange() {
        // In a destructor that runs after, what is pushed stays.
        let _behind = END.try_with(|_| ());
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
