//! The book-keeping of a thread about its own stack.

use super::stack_pos::StackPos;
use crate::call::{Answer, name};
use crate::context::{Context, trace};
use crate::driver::fork;
use crate::error::Result;
use crate::registry::entries::{self, EntryLog};
use std::cell::{Cell, RefCell};
use std::mem::ManuallyDrop;

/// It has no destructor, so it stays usable while other thread-locals are torn down.
pub(super) struct ThreadStack {
    /// The number of frames: of running `reentrant` calls, and of owned guards.
    pub(super) frames: Cell<usize>,
    /// Whether the thread has a `ContextStack`.
    pub(super) taken: Cell<bool>,
    /// The position of a `ContextStack` that was dropped while its entries could not be popped, for example
    /// inside `reentrant`. Everything above it is dead.
    pub(super) orphaned: Cell<Option<StackPos>>,
    /// Entries pushed by this crate and not yet popped, leaked ones included.
    pub(super) entries: EntryLog,
    /// The contexts of entries whose guard is gone and could not pop them, with the entry's index. They stay
    /// alive until the entry is popped.
    kept: ManuallyDrop<RefCell<Vec<(usize, Context)>>>,
    /// The owned guards that live: the number of entries below the frame of each, and its own number.
    owned: ManuallyDrop<RefCell<Vec<(usize, u64)>>>,
    /// The number of the next owned guard.
    next: Cell<u64>,
    /// Whether a function of the program runs in the middle of a driver call, whose effect on the stack is not logged
    /// yet.
    pub(super) in_driver_call: Cell<bool>,
    /// Whether the thread is about to end.
    leaving: Cell<bool>,
    trace: trace::Stack,
}

thread_local! {
    static THREAD_STACK: ThreadStack = const {
        ThreadStack {
            frames: Cell::new(0),
            taken: Cell::new(false),
            orphaned: Cell::new(None),
            entries: EntryLog::new(),
            kept: ManuallyDrop::new(RefCell::new(Vec::new())),
            owned: ManuallyDrop::new(RefCell::new(Vec::new())),
            next: Cell::new(0),
            in_driver_call: Cell::new(false),
            leaving: Cell::new(false),
            trace: trace::Stack::new(),
        }
    };
}
const _: () = assert!(!std::mem::needs_drop::<ThreadStack>());

/// Detects the end of the thread.
struct Leaving;
thread_local! {
    static LEAVING: Leaving = const { Leaving };
}

impl Drop for Leaving {
    fn drop(&mut self) {
        ThreadStack::with(|thread| {
            thread.leaving.set(true);
            thread.leave_if_unused();
        });
    }
}

/// Runs a function of the program that the driver calls in the middle of a call. It makes no owned guard, whose entry
/// would be logged before that of the call.
pub(crate) fn in_driver_call<R>(f: impl FnOnce() -> R) -> R {
    ThreadStack::with(|thread| {
        let before = thread.in_driver_call.replace(true);
        let done = f();
        thread.in_driver_call.set(before);
        done
    })
}

/// The code that popped an entry.
pub(super) enum PoppedBy {
    Us,
    Foreigner,
}

impl ThreadStack {
    /// Calls `f` with the record of the calling thread.
    #[inline]
    pub(super) fn with<R>(f: impl FnOnce(&ThreadStack) -> R) -> R {
        THREAD_STACK.with(f)
    }

    /// Prepares the thread before it gets a stack to push on.
    ///
    /// # Errors
    /// In the child of a fork, the error that most calls return there ([F20](crate::driver_facts#F20)).
    pub(super) fn enroll(&self) -> Result {
        if !self.entries.has_room() {
            self.reserve(name!(cuCtxGetCurrent))?;
            // Fails while the thread ends; `leaving` says so already.
            let _ = LEAVING.try_with(|_| ());
        }
        Ok(())
    }

    /// Makes sure that one more entry fits.
    ///
    /// # Errors
    /// In the child of a fork, the error that most calls return there ([F20](crate::driver_facts#F20)).
    pub(super) fn reserve(&self, call: &'static str) -> Result {
        if self.entries.reserve() {
            return Ok(());
        }
        Answer::new(call, ffi::CUDA_ERROR_NOT_INITIALIZED).result()
    }

    /// Leaves the slots once there is nothing to push with.
    pub(super) fn leave_if_unused(&self) {
        let used = self.taken.get() || self.frames.get() != 0 || self.orphaned.get().is_some();
        // A lock that another thread held at a fork is never opened in the child.
        if self.leaving.get() && !used && !fork::is_child() {
            self.entries.leave();
        }
    }

    /// Logs an entry that was pushed and returns the number of entries below it.
    #[inline]
    pub(super) fn add(&self, context: &Context) -> usize {
        let index = self.entries.push(context.entry());
        self.trace.pushed(context);
        index
    }

    /// Removes an entry that its own guard popped from the log. Nothing is kept for it.
    #[inline]
    pub(super) fn remove_own(&self, index: usize) {
        self.entries.remove(index);
        self.trace.popped();
    }

    /// Removes an entry that this crate or foreign code popped from the log.
    pub(super) fn remove(&self, index: usize, by: PoppedBy) {
        if let (PoppedBy::Foreigner, Some(entry)) = (by, self.entries.get(index)) {
            // Entries have no identity: this one may still be there, further down.
            entries::stays(entry);
        }
        self.entries.remove(index);
        let kept = self.take_kept(index);
        self.trace.popped();
        // Last: this may destroy the context, and run the hook of `on_release_error`.
        drop(kept);
    }

    /// Notes an owned guard whose frame has so many entries below it. Returns its number, which no other has.
    #[inline]
    pub(super) fn add_owned(&self, index: usize) -> u64 {
        let number = self.next.replace(self.next.get() + 1);
        self.owned.borrow_mut().push((index, number));
        number
    }

    /// Returns whether the owned guard with this number lives.
    #[inline]
    pub(super) fn has_owned(&self, number: u64) -> bool {
        self.owned.borrow().iter().any(|&(_, of)| of == number)
    }

    /// Removes the owned guard with this number. Returns whether it lived.
    #[inline]
    pub(super) fn remove_owned(&self, number: u64) -> bool {
        self.retain_owned(|&(_, of)| of != number)
    }

    /// Ends the owned guards whose frames have so many entries below them, or more. What they pushed counts as leaked.
    pub(super) fn end_owned(&self, index: usize) {
        self.retain_owned(|&(at, _)| {
            if at >= index {
                self.frames.set(self.frames.get() - 1);
                self.entries.remove(at);
            }
            at < index
        });
    }

    /// Keeps the owned guards for which this is true. Returns whether there were others.
    #[inline]
    fn retain_owned(&self, lives: impl FnMut(&(usize, u64)) -> bool) -> bool {
        let mut owned = self.owned.borrow_mut();
        let before = owned.len();
        owned.retain(lives);
        let ended = owned.len() != before;
        // The thread never drops the list.
        if owned.is_empty() {
            *owned = Vec::new();
        }
        ended
    }

    /// Keeps a context alive until the entry of this index is popped.
    pub(super) fn keep(&self, index: usize, context: Context) {
        self.kept.borrow_mut().push((index, context));
    }

    fn take_kept(&self, index: usize) -> Option<Context> {
        let mut kept = self.kept.borrow_mut();
        let at = kept.iter().rposition(|&(of, _)| of == index)?;
        let (_, context) = kept.swap_remove(at);
        if kept.is_empty() {
            *kept = Vec::new();
        }
        Some(context)
    }
}
