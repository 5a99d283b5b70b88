//! Book-keeping of this crate's entries on the thread's stack.
//!
//! Every token and guard has a [`StackPos`]. If code reaches a position by reference, every guard above it is
//! dead, except the guards of a `reentrant` call that began above it (its *frame*), which is in the log too.
//! Entries that the log still holds above a position were leaked. They are popped when the position is next
//! used. Foreign code may have changed the stack ([F87](crate::driver_facts#F87),
//! [F88](crate::driver_facts#F88)). A pop that takes something other than the entry in the log puts it back. If
//! an entry may not be on top at all, the code checks first.
//!
//! Code of the program runs inside most calls of this file: the hook of the driver's log inside any driver
//! call, a tracing subscriber when an entry is added or removed, the hook of `on_release_error` and destructors
//! when a context is destroyed. This code may call everything. So the log is correct before each of these
//! calls, values read before are compared again afterwards, and the thread's token counts as taken while leaked
//! entries are popped (invariant [`re-entered`](crate::soundness#re-entered)).
#![allow(unsafe_code, reason = "calls the driver")]

use super::thread_stack::{PoppedBy, ThreadStack};
use crate::brand::NotSend;
use crate::call::{Answer, answer, name};
use crate::context::Context;
use crate::context::current_raw as current;
use crate::driver::release::report_drop;
use crate::error::{Error, Result, means_not_taken};
use crate::registry::contexts::raw_of;
use crate::registry::entries::{self, Entry};
use ffi::{CUcontext, CUresult};
use std::mem::ManuallyDrop;
use std::ptr;

const PUSH: &str = name!(cuCtxPushCurrent_v2);
const POP: &str = name!(cuCtxPopCurrent_v2);

/// Pops the top of the calling thread's stack and returns it.
#[inline]
fn pop_top() -> Result<CUcontext> {
    let mut popped = ptr::null_mut();
    // SAFETY: writes one handle to `popped`. That the entry is one of ours and no longer in use, or is put
    // back at once, is for the callers, all in this file.
    unsafe { answer!(cuCtxPopCurrent_v2(&raw mut popped)) }.check()?;
    Ok(popped)
}

/// Puts back a context that was popped and is not ours.
#[cold]
fn put_back(top: CUcontext) -> Result {
    // SAFETY: `top` was on the stack the moment before, and is put back as it was.
    let push = || unsafe { answer!(cuCtxPushCurrent_v2(top)) }.check();
    // Once more if it fails: the thread would otherwise lose an entry that is not ours.
    Ok(push().or_else(|_| push())?)
}

/// Returns the context below `top`, the top of the calling thread's stack. It pops `top` to look, and puts it
/// back.
fn peek_below(top: CUcontext) -> Result<CUcontext> {
    pop_top()?;
    let below = current();
    put_back(top)?;
    below
}

/// A position on the stack, as a token or guard sees it when nothing lies above.
#[derive(Clone, Copy)]
pub(super) struct StackPos {
    /// The number of entries of the log that lie below.
    index: usize,
    /// The context that is current when nothing lies above: the guard's context or, for a token, the context
    /// that it found. An address to compare with, not a pointer.
    own: usize,
    /// The owner of a position stays on its thread.
    _thread: NotSend,
}

/// The entry of a guard, given by the number of entries below it in the log of its thread.
#[derive(Clone, Copy)]
pub(super) struct Cursor {
    index: usize,
    _thread: NotSend,
}

impl Cursor {
    /// Pops the entry, which belongs to a guard of `context`.
    ///
    /// # Errors
    /// The errors of [`StackPos::pop_leaked`]: inside a younger frame, or foreign code is on top. A context
    /// that was popped and is not ours is then on the stack again. The entry stays in the log, and its context
    /// stays alive until the entry is popped. That happens when the position below is next reached and finds
    /// the entry on top.
    #[inline]
    pub(super) fn pop(self, context: &Context) -> Result {
        if ThreadStack::with(|thread| thread.entries.depth()) != self.index + 1 {
            return self.pop_behind_leaked(context);
        }
        let mut popped = ptr::null_mut();
        // SAFETY: writes one handle to `popped`. What it pops is this guard's entry, or is put back below.
        let Answer { code, .. } = unsafe { answer!(cuCtxPopCurrent_v2(&raw mut popped)) };
        if code == ffi::CUDA_SUCCESS && popped.addr() == context.key() {
            ThreadStack::with(|thread| thread.remove_own(self.index));
            return Ok(());
        }
        self.not_popped(context, code, popped)
    }

    #[cold]
    #[inline(never)]
    fn pop_behind_leaked(self, context: &Context) -> Result {
        let popped = self.above(context).pop_leaked(POP).and_then(|()| pop_top());
        self.popped(context, popped)
    }

    #[cold]
    #[inline(never)]
    fn not_popped(self, context: &Context, code: CUresult, popped: CUcontext) -> Result {
        self.popped(context, Answer::new(POP, code).result().map(|()| popped))
    }

    /// Handles the cases in which the pop took something else, or nothing, or in which leaked entries had to be
    /// popped first.
    fn popped(self, context: &Context, popped: Result<CUcontext>) -> Result {
        let answer = match popped {
            Ok(popped) if popped.addr() == context.key() => {
                ThreadStack::with(|thread| thread.remove_own(self.index));
                return Ok(());
            }
            Ok(other) => put_back(other).and(Err(Error::NotCurrent { call: POP })),
            // The stack is empty (F3).
            Err(error) if error.code() == Some(ffi::CUDA_ERROR_INVALID_CONTEXT) => {
                Err(Error::NotCurrent { call: POP })
            }
            Err(error) => Err(error),
        };
        // Alive until the entry is popped (F13).
        ThreadStack::with(|thread| thread.keep(self.index, context.clone()));
        answer
    }

    /// Returns the position of the guard with this entry.
    #[inline]
    pub(super) fn above(self, context: &Context) -> StackPos {
        StackPos { index: self.index + 1, own: context.key(), _thread: [] }
    }
}

impl StackPos {
    /// Returns the position of a token made now.
    fn here(thread: &ThreadStack) -> Result<StackPos> {
        thread.enroll()?;
        loop {
            let index = thread.entries.depth();
            let own = current()?.addr();
            // A hook that ran in the call may have taken the stack and pushed.
            if thread.entries.depth() == index {
                return Ok(StackPos { index, own, _thread: [] });
            }
        }
    }

    /// Pops all entries above. The caller holds a reference to the owner of `self`, so in this frame every
    /// guard above is dead.
    ///
    /// # Errors
    /// `Suspended` inside a younger frame; `NotCurrent` if foreign code changed the top, and then nothing is
    /// popped.
    fn pop_leaked(self, call: &'static str) -> Result {
        ThreadStack::with(|thread| self.pop_leaked_of(thread, call))
    }

    #[inline]
    fn pop_leaked_of(self, thread: &ThreadStack, call: &'static str) -> Result {
        if thread.entries.depth() == self.index { Ok(()) } else { self.pop_others(thread, call) }
    }

    #[cold]
    #[inline(never)]
    fn pop_others(self, thread: &ThreadStack, call: &'static str) -> Result {
        if thread.entries.depth() < self.index {
            return Err(Error::Suspended { call });
        }
        while thread.entries.depth() > self.index {
            let at = thread.entries.depth() - 1;
            // Asked each time: a hook that ran when the entry before was popped may have left an owned guard.
            if thread.entries.is_framed(self.index) {
                return Err(Error::Suspended { call });
            }
            match thread.entries.get(at) {
                None | Some(Entry::CLOSED) => thread.entries.remove(at),
                Some(entry) => self.pop_entry(thread, at, entry, call)?,
            }
        }
        Ok(())
    }

    /// Pops a leaked entry, the top one of the log. If foreign code already popped it, it is removed from the
    /// log.
    fn pop_entry(
        self,
        thread: &ThreadStack,
        at: usize,
        entry: Entry,
        call: &'static str,
    ) -> Result {
        let covered = Err(Error::NotCurrent { call });
        // Whether the log did not change during a call.
        let same = || thread.entries.depth() == at + 1 && thread.entries.get(at) == Some(entry);
        let (top, raw) = (current()?, raw_of(entry));
        if !same() {
            return Ok(()); // a hook that ran in the call popped it: look again
        }
        if Some(top.addr()) == raw {
            let popped = pop_top()?;
            if !same() || Some(popped.addr()) != raw {
                return put_back(popped).and(covered);
            }
            thread.remove(at, PoppedBy::Us);
            return Ok(());
        }
        let gone =
            top.addr() == self.own && (top.is_null() || Some(peek_below(top)?.addr()) != raw);
        if gone && same() {
            thread.remove(at, PoppedBy::Foreigner);
            return Ok(());
        }
        covered // foreign code covers the entry, or put another one in its place
    }

    /// Pushes on top of `self`.
    #[inline(always)]
    pub(super) fn push(self, context: &Context) -> Result<Cursor> {
        if !ThreadStack::with(|thread| thread.entries.is_ready(self.index)) {
            ThreadStack::with(|thread| self.make_ready(thread))?;
        }
        // SAFETY: the context is live (`context` holds it), so this is not F6 or F14. Whoever
        // gets the entry borrows `context` until it is popped, and where that is leaked the
        // log keeps the context from its end.
        let answer = unsafe { answer!(cuCtxPushCurrent_v2(context.raw())) };
        if answer.code != ffi::CUDA_SUCCESS {
            self.not_pushed(context, answer.code);
            answer.check()?;
        }
        Ok(Cursor { index: ThreadStack::with(|thread| thread.add(context)), _thread: [] })
    }

    /// Pops leaked entries and makes room for one entry. The new entry lies above leaked ones that foreign code covers or
    /// replaced. They stay in the log, because foreign code may restore them.
    #[cold]
    #[inline(never)]
    fn make_ready(self, thread: &ThreadStack) -> Result {
        match self.pop_leaked_of(thread, PUSH) {
            Ok(()) | Err(Error::NotCurrent { .. }) => thread.reserve(PUSH),
            refused => refused,
        }
    }

    /// Handles a push that reported an error, which may come from earlier work. If the entry is there all the
    /// same, it is popped. If it may be there and cannot be distinguished from one below, since that is of the same
    /// context or since foreign code took this position's own entry, the context is never destroyed.
    #[cold]
    #[inline(never)]
    fn not_pushed(self, context: &Context, code: CUresult) {
        let is_top = || current().is_ok_and(|top| top.addr() == context.key());
        if means_not_taken(code) || !is_top() {
            return;
        }
        if self.own != context.key() {
            let Ok(popped) = pop_top() else { return };
            let is_ours = popped.addr() == context.key()
                && current().is_ok_and(|below| below.addr() == self.own);
            if is_ours {
                return;
            }
            if let Err(error) = put_back(popped) {
                report_drop(error);
            }
        }
        entries::stays(context.entry());
    }

    /// Checks for every context-sensitive call that `own` is current.
    #[inline]
    pub(super) fn enter(self, call: &'static str) -> Result {
        let here = current()?.addr() == self.own;
        if here { Ok(()) } else { self.enter_behind_leaked(call) }
    }

    #[cold]
    #[inline(never)]
    fn enter_behind_leaked(self, call: &'static str) -> Result {
        self.pop_leaked(call)?;
        if current()?.addr() == self.own { Ok(()) } else { Err(Error::NotCurrent { call }) }
    }

    /// Takes the thread's one token.
    pub(super) fn take_thread() -> Result<StackPos> {
        ThreadStack::with(|thread| {
            if thread.taken.get() || thread.frames.get() != 0 {
                return Err(Error::StackTaken);
            }
            // Before any call, in which code of the program may want the token too.
            thread.taken.set(true);
            let _ = pop_orphan(thread); // entries that cannot be popped stay below, as foreign ones do
            if thread.frames.get() != 0 {
                thread.taken.set(false);
                return Err(Error::StackTaken); // a hook that ran meanwhile left an owned guard
            }
            StackPos::here(thread).inspect_err(|_| thread.taken.set(false))
        })
    }

    /// Gives the thread's token back. All guards made from it are dead.
    pub(super) fn give_thread_back(self) {
        ThreadStack::with(|thread| {
            // An older orphan lies lower: popping the entries above that one also pops those above this one.
            thread.orphaned.set(thread.orphaned.get().or(Some(self)));
            // The token counts as taken until nothing of it is left.
            let popped = pop_orphan(thread);
            thread.taken.set(false);
            pop_orphan_again(thread, popped);
            thread.leave_if_unused();
        });
    }

    /// Opens a frame. Levels of outer frames are suspended until it is dropped.
    pub(super) fn open_frame() -> Result<Frame> {
        ThreadStack::with(|thread| {
            let before = StackPos::here(thread)?;
            thread.reserve(PUSH)?;
            thread.entries.push(Entry::OPEN);
            thread.frames.set(thread.frames.get() + 1);
            Ok(Frame { before, base: StackPos { index: before.index + 1, ..before } })
        })
    }
}

/// Pops the entries that dropped tokens left, unless a frame prevents it. The caller has the token.
///
/// # Errors
/// The errors of [`StackPos::pop_leaked`]: inside `reentrant`, or foreign code is on top. The entries are then
/// popped later.
fn pop_orphan(thread: &ThreadStack) -> Result {
    if let Some(orphan) = thread.orphaned.get() {
        orphan.pop_leaked_of(thread, POP)?;
        thread.orphaned.set(None);
    }
    Ok(())
}

/// Pops the entries that dropped tokens left, unless a frame or another token prevents it.
///
/// # Errors
/// `NotCurrent` if foreign code is on top, and driver errors. The entries are then popped later.
fn pop_orphan_if_free(thread: &ThreadStack) -> Result {
    if thread.taken.replace(true) {
        return Ok(());
    }
    let popped = pop_orphan(thread);
    thread.taken.set(false);
    match popped {
        // The frame that is open above them, or one that is older, pops them at its end.
        Err(Error::Suspended { .. }) => Ok(()),
        popped => popped,
    }
}

/// Tries again if the driver failed and no later code would do it.
fn pop_orphan_again(thread: &ThreadStack, popped: Result) {
    match popped {
        Ok(()) | Err(Error::Suspended { .. }) => {}
        Err(error) => {
            report_drop(error);
            let _ = pop_orphan_if_free(thread);
        }
    }
}

/// A running `reentrant` call. Its drop restores the stack as the call found it.
pub(super) struct Frame {
    before: StackPos,
    pub(super) base: StackPos,
}

impl Drop for Frame {
    fn drop(&mut self) {
        ThreadStack::with(|thread| {
            // Inner frames of `reentrant` are closed by now, also on unwinding. Owned guards that were made in this
            // frame may live on, and end with it. Entries that cannot be popped because foreign code left something
            // on top stay in the log, for the positions below to pop.
            let popped = loop {
                thread.end_owned(self.base.index);
                let popped = self.base.pop_leaked_of(thread, POP);
                if !thread.entries.is_framed(self.base.index) {
                    break popped;
                }
            };
            let popped = self.before.close_frame(thread, popped);
            pop_orphan_again(thread, popped);
            thread.leave_if_unused();
        });
    }
}

impl StackPos {
    /// Closes the frame that began here, after its entries were popped. If they could not be, the frame or the token
    /// outside pops them, or else the next code that has the stack to itself.
    ///
    /// # Errors
    /// The errors of the pops, of the entries of the frame and then of those that dropped tokens left.
    fn close_frame(self, thread: &ThreadStack, popped: Result) -> Result {
        thread.frames.set(thread.frames.get() - 1);
        thread.entries.remove(self.index);
        if popped.is_ok() {
            return pop_orphan_if_free(thread);
        }
        if !thread.taken.get() && !(0..self.index).any(|at| thread.entries.is_open(at)) {
            thread.orphaned.set(thread.orphaned.get().or(Some(self)));
        }
        popped
    }
}

/// The entry of an owned guard, in a frame of its own: positions below are suspended while it lives.
pub(super) struct OwnedEntry {
    before: StackPos,
    entry: Cursor,
    number: u64,
}

impl OwnedEntry {
    /// Pushes on top of whatever is there.
    #[inline]
    pub(super) fn push(context: &Context) -> Result<OwnedEntry> {
        if ThreadStack::with(|thread| thread.in_driver_call.get()) {
            let reason = "an owned guard cannot be made inside a function of `on_driver_log`, which runs in the \
                          middle of a driver call: use `Context::with` there";
            return Err(Error::InvalidArgument { call: PUSH, reason: reason.into() });
        }
        let frame = StackPos::open_frame()?;
        let entry = frame.base.push(context)?;
        let before = ManuallyDrop::new(frame).before;
        let number = ThreadStack::with(|thread| thread.add_owned(before.index));
        Ok(OwnedEntry { before, entry, number })
    }

    /// Returns the entry, for a use of the guard.
    ///
    /// # Errors
    /// [`InvalidArgument`](Error::InvalidArgument) if the frame that it was made in has ended.
    #[inline]
    pub(super) fn entry(&self, call: &'static str) -> Result<Cursor> {
        if self.is_live() { Ok(self.entry) } else { Err(ended(call)) }
    }

    /// Returns whether the guard has not ended with the frame that it was made in.
    #[inline]
    pub(super) fn is_live(&self) -> bool {
        ThreadStack::with(|thread| thread.has_owned(self.number))
    }

    /// Pops the entry, and closes its frame.
    ///
    /// # Errors
    /// The errors of [`entry`](Self::entry) and of [`Cursor::pop`].
    #[inline]
    pub(super) fn pop(&self, context: &Context) -> Result {
        ThreadStack::with(|thread| {
            if !thread.remove_owned(self.number) {
                return Err(ended(POP));
            }
            let popped = self.entry.pop(context);
            let closed = self.before.close_frame(thread, popped);
            if closed.is_err() {
                // Once more: no later code may do it. The caller gets the first error.
                let _ = pop_orphan_if_free(thread);
            }
            thread.leave_if_unused();
            closed
        })
    }
}

#[cold]
#[inline]
fn ended(call: &'static str) -> Error {
    let reason = "the owned guard ended with the `reentrant` call or the `Context::with` that it was made in: make it \
                  outside, or use it inside";
    Error::InvalidArgument { call, reason: reason.into() }
}
