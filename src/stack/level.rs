//! Book-keeping of this crate's entries on the thread's stack.
//!
//! Every token and guard has a [`Level`]. Reaching a level by reference proves that every guard made
//! above it is dead, but for those of a `reentrant` call that began above it (its *frame*), which is
//! recorded too: what the record still holds above it was leaked, and is popped then (*settled*).
//! Foreign code may have changed the stack (F87, F88): a pop that takes something else than the recorded
//! entry puts it back, and where an entry may not be on top at all, a look comes first.
#![allow(unsafe_code, reason = "calls the driver")]

use super::entries::raw_of;
use super::record::{PoppedBy, Record};
use super::slot::{Entry, Place, Slotted};
use crate::error::{check, report_drop};
use crate::{Context, Error, Result};
use ffi::{CUcontext, CUresult};
use std::mem::MaybeUninit;
use std::ptr;

/// The top of the calling thread's stack, or null. Costs 10 ns.
#[inline]
pub(crate) fn current() -> Result<CUcontext> {
    let mut top = ptr::null_mut();
    // SAFETY: writes one handle to `top`, which is valid for it; needs no context (F4).
    check("cuCtxGetCurrent", unsafe { ffi::cuCtxGetCurrent(&raw mut top) })?;
    Ok(top)
}

const PUSH: &str = "cuCtxPushCurrent_v2";
const POP: &str = "cuCtxPopCurrent_v2";

/// Pops the top of the calling thread's stack: what it was.
#[inline]
fn pop_top() -> Result<CUcontext> {
    let mut popped = ptr::null_mut();
    // SAFETY: writes one handle to `popped`. That the entry is one of ours and no longer in use, or is put
    // back at once, is for the callers, all in this file.
    check(POP, unsafe { ffi::cuCtxPopCurrent_v2(&raw mut popped) })?;
    Ok(popped)
}

/// Puts back what was popped and is not ours.
#[cold]
fn put_back(top: CUcontext) -> Result {
    // SAFETY: `top` was on the stack the moment before, and is put back as it was.
    let push = || unsafe { ffi::cuCtxPushCurrent_v2(top) };
    // Once more if it fails: the thread would be without an entry that is not ours.
    Ok(check(PUSH, push()).or_else(|_| check(PUSH, push()))?)
}

/// What lies below `top`, the top of the calling thread's stack, which is popped for the look.
fn below(top: CUcontext) -> Result<CUcontext> {
    pop_top()?;
    let below = current();
    put_back(top)?;
    below
}

/// A place on the stack: what a token or guard sees as "just me, nothing above".
#[derive(Clone, Copy)]
pub(super) struct Level {
    place: Place,
    /// What is current when nothing lies above: the guard's context; for a token, what it found. An
    /// address to compare with, not a pointer: `NotSend` alone names what ties owners to the thread.
    own: usize,
}

impl Slotted {
    /// Pops the entry, which is that of a guard of `context`.
    ///
    /// # Errors
    /// As [`Level::settle`]: inside a younger frame, or foreign code is on top. What was popped and is not ours
    /// is on the stack again then. The entry stays recorded, and its context alive until it is popped, which is
    /// when the level below is next reached and finds it on top.
    #[inline]
    pub(super) fn pop(self, context: &Context) -> Result {
        let (mut popped, mut code) = (MaybeUninit::uninit(), ffi::CUDA_ERROR_UNKNOWN);
        if self.above().free().is_some() {
            // SAFETY: as in `pop_top`.
            code = unsafe { ffi::cuCtxPopCurrent_v2(popped.as_mut_ptr()) };
            // SAFETY: the driver has written it, as it did not refuse.
            if code == ffi::CUDA_SUCCESS && unsafe { popped.assume_init() }.addr() == context.key()
            {
                Record::remove_own(self);
                return Ok(());
            }
        }
        self.not_popped(context, code, &popped)
    }

    /// Something may lie above, and nothing was popped; or the driver refused, or popped something else. One
    /// function, so that nothing has to be told apart before it is called.
    #[cold]
    #[inline(never)]
    fn not_popped(
        self,
        context: &Context,
        code: CUresult,
        popped: &MaybeUninit<CUcontext>,
    ) -> Result {
        let done = match self.above().free() {
            None => Level::of(self, context).settle(POP).and_then(|()| pop_top()),
            Some(_) => check(POP, code).map_err(Error::from).map(|()| {
                // SAFETY: as in `pop`.
                unsafe { popped.assume_init() }
            }),
        };
        let answer = match done {
            Ok(popped) if popped.addr() == context.key() => {
                Record::remove_own(self);
                return Ok(());
            }
            Ok(other) => put_back(other).and(Err(Error::NotCurrent { call: POP })),
            // The stack is empty (F3).
            Err(error) if error.code() == Some(ffi::CUDA_ERROR_INVALID_CONTEXT) => {
                Err(Error::NotCurrent { call: POP })
            }
            Err(error) => Err(error),
        };
        self.keep(context);
        answer
    }

    /// Keeps the context of the entry alive until that is popped (F13).
    fn keep(self, context: &Context) {
        Record::with(|r| r.keep(r.entries.below(self.place()), context.clone()));
    }
}

impl Level {
    /// The place of a token made now.
    fn here(r: &Record) -> Result<Level> {
        r.enroll();
        let own = current()?.addr();
        Ok(Level { place: r.entries.slot(r.entries.depth()).place(), own })
    }

    /// That of a guard with this entry.
    #[inline]
    pub(super) fn of(entry: Slotted, context: &Context) -> Level {
        Level { place: entry.above(), own: context.key() }
    }

    /// Pops whatever lies above. The caller holds a reference to the owner of `self`, so in this
    /// frame every guard above is dead.
    ///
    /// # Errors
    /// `Suspended` inside a younger frame; `NotCurrent` if foreign code changed the top, and then
    /// nothing is popped.
    fn settle(self, call: &'static str) -> Result {
        self.settled(call).map(drop)
    }

    /// The same, with the slot of what comes on top.
    #[inline]
    fn settled(self, call: &'static str) -> Result<Slotted> {
        match self.place.free() {
            Some(slot) => Ok(slot),
            None => Level::settle_others(self.place, self.own, call),
        }
    }

    // Not `self`, which would be in memory for it.
    #[cold]
    #[inline(never)]
    fn settle_others(place: Place, own: usize, call: &'static str) -> Result<Slotted> {
        Record::with(|r| {
            let below = r.entries.below(place);
            if r.entries.depth() < below || r.entries.is_framed(below) {
                return Err(Error::Suspended { call });
            }
            settle_leaked(r, below, own, call)?;
            Ok(r.entries.slot(below))
        })
    }

    /// Pushes on top of `self`.
    #[inline]
    pub(super) fn push(self, context: &Context) -> Result<Slotted> {
        let slot = self.settled(PUSH)?;
        // SAFETY: the context is live (`context` holds it), so this is not F6 or F14. Whoever
        // gets the slot borrows `context` until the entry is popped, and where that is leaked the
        // record keeps the context from its end.
        check(PUSH, unsafe { ffi::cuCtxPushCurrent_v2(context.raw()) })?;
        Record::add(slot, context);
        Ok(slot)
    }

    /// Checked by every context-sensitive call: `own` is current.
    #[inline]
    pub(super) fn enter(self, call: &'static str) -> Result {
        let here = current()?.addr() == self.own;
        if here { Ok(()) } else { Level::enter_settled(self.place, self.own, call) }
    }

    #[cold]
    #[inline(never)]
    fn enter_settled(place: Place, own: usize, call: &'static str) -> Result {
        Level { place, own }.settle(call)?;
        if current()?.addr() == own { Ok(()) } else { Err(Error::NotCurrent { call }) }
    }

    /// Takes the thread's one token.
    pub(super) fn take_thread() -> Result<Level> {
        Record::with(|r| {
            if r.taken.get() || r.frames.get() != 0 {
                return Err(Error::StackTaken);
            }
            let _ = settle_orphan(r); // what cannot be popped stays below, as foreign entries do
            let level = Level::here(r)?;
            r.taken.set(true);
            Ok(level)
        })
    }

    /// Gives the thread's token back: all guards made from it are dead.
    pub(super) fn give_thread_back(self) {
        Record::with(|r| {
            r.taken.set(false);
            // An older orphan lies lower: settling it settles this one.
            r.orphaned.set(r.orphaned.get().or(Some(self)));
            settle_orphan_in_drop(r);
            r.leave_if_unused();
        });
    }

    /// Opens a frame: levels of outer frames are suspended until it is dropped.
    pub(super) fn open_frame() -> Result<Frame> {
        Record::with(|r| {
            let before = Level::here(r)?;
            r.entries.open_frame();
            r.frames.set(r.frames.get() + 1);
            let place = r.entries.slot(r.entries.depth()).place();
            Ok(Frame { before, base: Level { place, ..before } })
        })
    }
}

/// Pops all but so many entries; where nothing else lies on those, `own` is current.
fn settle_leaked(r: &Record, left: usize, own: usize, call: &'static str) -> Result {
    while let Some(entry) = r.entries.top().filter(|_| r.entries.depth() > left) {
        if entry == Entry::CLOSED {
            r.entries.pop();
            continue;
        }
        let (top, raw) = (current()?, raw_of(entry));
        if Some(top.addr()) == raw {
            pop_top()?;
            r.remove(PoppedBy::Us);
        } else if top.addr() == own && (top.is_null() || Some(below(top)?.addr()) != raw) {
            r.remove(PoppedBy::Foreigner);
        } else {
            return Err(Error::NotCurrent { call }); // foreign code covers the entry
        }
    }
    Ok(())
}

/// Pops what dropped tokens left, once neither a frame nor another token is in the way.
///
/// # Errors
/// As [`Level::settle`]: inside `reentrant`, or foreign code is on top; then later.
fn settle_orphan(r: &Record) -> Result {
    if let Some(orphan) = r.orphaned.get().filter(|_| !r.taken.get()) {
        orphan.settle(POP)?;
        r.orphaned.set(None);
    }
    Ok(())
}

/// The same where nobody is there to do it later: it is tried again if the driver failed.
fn settle_orphan_in_drop(r: &Record) {
    match settle_orphan(r) {
        Ok(()) | Err(Error::Suspended { .. }) => {}
        Err(error) => {
            report_drop(error);
            let _ = settle_orphan(r);
        }
    }
}

/// A running `reentrant` call. Its drop leaves the stack as it was found.
pub(super) struct Frame {
    before: Level,
    pub(super) base: Level,
}

impl Drop for Frame {
    fn drop(&mut self) {
        Record::with(|r| {
            // Inner frames are closed by now, also on unwinding. What cannot be popped because
            // foreign code left something on top stays recorded, for the levels below to settle.
            let settled = self.base.settle(POP);
            let outer = r.frames.get() - 1;
            if settled.is_err() && outer == 0 && !r.taken.get() {
                r.orphaned.set(r.orphaned.get().or(Some(self.before)));
            } // else the frame or the token outside settles it
            r.frames.set(outer);
            r.entries.close_frame(r.entries.below(self.before.place));
            match settled {
                Ok(()) => settle_orphan_in_drop(r),
                Err(error) => {
                    report_drop(error);
                    let _ = settle_orphan(r);
                }
            }
            r.leave_if_unused();
        });
    }
}
