//! What a thread knows of its own stack.

use super::level::Level;
use super::trace;
use crate::call::{Answer, name};
use crate::context::Context;
use crate::driver::fork;
use crate::error::Result;
use crate::registry::entries::{self, Entries};
use std::cell::{Cell, RefCell};
use std::mem::ManuallyDrop;

/// It has no destructor, so it stays usable while other thread-locals are torn down.
pub(super) struct Record {
    /// How many `reentrant` calls run.
    pub(super) frames: Cell<usize>,
    /// Whether the thread has a `ContextStack`.
    pub(super) taken: Cell<bool>,
    /// Where a `ContextStack` stood that was dropped while its entries could not be popped (inside
    /// `reentrant`, say): what lies above is dead.
    pub(super) orphaned: Cell<Option<Level>>,
    /// Entries pushed by this crate and not yet popped, leaked ones included.
    pub(super) entries: Entries,
    /// Contexts of entries whose guard is gone and could not pop them, with the entry's index: alive
    /// until the entry is popped.
    kept: ManuallyDrop<RefCell<Vec<(usize, Context)>>>,
    /// Whether the thread is about to end.
    leaving: Cell<bool>,
    trace: trace::Stack,
}

thread_local! {
    static RECORD: Record = const {
        Record {
            frames: Cell::new(0),
            taken: Cell::new(false),
            orphaned: Cell::new(None),
            entries: Entries::new(),
            kept: ManuallyDrop::new(RefCell::new(Vec::new())),
            leaving: Cell::new(false),
            trace: trace::Stack::new(),
        }
    };
}
const _: () = assert!(!std::mem::needs_drop::<Record>());

/// Notices that the thread ends.
struct Leaving;
thread_local! {
    static LEAVING: Leaving = const { Leaving };
}

impl Drop for Leaving {
    fn drop(&mut self) {
        Record::with(|r| {
            r.leaving.set(true);
            r.leave_if_unused();
        });
    }
}

/// Who popped an entry.
pub(super) enum PoppedBy {
    Us,
    Foreigner,
}

impl Record {
    /// That of the calling thread.
    #[inline]
    pub(super) fn with<R>(f: impl FnOnce(&Record) -> R) -> R {
        RECORD.with(f)
    }

    /// Before the thread gets what it can push with.
    ///
    /// # Errors
    /// In the child of a fork, what most calls answer there (F20).
    pub(super) fn enroll(&self) -> Result {
        if !self.entries.has_room() {
            self.reserve(name!(cuCtxGetCurrent))?;
            // Fails while the thread ends: then `leaving` says so already.
            let _ = LEAVING.try_with(|_| ());
        }
        Ok(())
    }

    /// Makes sure that one more entry fits.
    ///
    /// # Errors
    /// In the child of a fork, what most calls answer there (F20).
    pub(super) fn reserve(&self, call: &'static str) -> Result {
        if self.entries.reserve() {
            return Ok(());
        }
        Answer::new(call, ffi::CUDA_ERROR_NOT_INITIALIZED).result()
    }

    /// Once there is nothing to push with.
    pub(super) fn leave_if_unused(&self) {
        let used = self.taken.get() || self.frames.get() != 0 || self.orphaned.get().is_some();
        // A lock that another thread held at a fork is never opened in the child.
        if self.leaving.get() && !used && !fork::is_child() {
            self.entries.leave();
        }
    }

    /// Logs an entry that was pushed: how many lie below it.
    #[inline]
    pub(super) fn add(&self, context: &Context) -> usize {
        let index = self.entries.push(context.entry());
        self.trace.pushed(context);
        index
    }

    /// Takes an entry out of the log, which its guard popped: nothing is kept for it.
    #[inline]
    pub(super) fn remove_own(&self, index: usize) {
        self.entries.remove(index);
        self.trace.popped();
    }

    /// Takes an entry out of the log: it was popped, by this crate or by foreign code.
    pub(super) fn remove(&self, index: usize, by: PoppedBy) {
        if let PoppedBy::Foreigner = by
            && let Some(entry) = self.entries.get(index)
        {
            // Entries have no identity: this one may be there all the same, further down.
            entries::stays(entry);
        }
        self.entries.remove(index);
        let kept = self.take_kept(index);
        self.trace.popped();
        // Last: this may end the context, and run the hook of `on_release_error`.
        drop(kept);
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
