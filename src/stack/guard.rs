//! The guard: a context is current while it lives.
#![allow(unsafe_code, reason = "calls the driver")]

use super::level::{Level, Place};
use crate::brand::{Brand, NotSend};
use crate::call::{later, name};
use crate::context::Context;
use crate::context::wait::wait;
use crate::device::Device;
use crate::driver::release::report_drop;
use crate::error::Result;
use static_assertions::assert_not_impl_any;
use std::fmt;
use std::mem::ManuallyDrop;

/// Proof that a context is current on this thread, and what lends its handles. Popped on drop.
///
/// Its methods are the driver calls that act on the current context: creating streams, events,
/// modules and memory, and waiting for all of it. Each compares the current context first
/// (`cuCtxGetCurrent`, 10 ns) and answers [`NotCurrent`](crate::Error::NotCurrent) if foreign code
/// changed it. Work on a stream goes through [`on`](Self::on).
///
/// The context is borrowed, so that it outlives its entry; to give it up earlier, push a clone of it.
///
/// A handle carries the guard's lifetime `'ctx` as a *brand* and is usable with this guard alone. It
/// does not borrow the guard: it survives a nested [`push`](Self::push), is unusable during it, and
/// may be dropped late. What the compiler says when a rule is broken is listed in the
/// [error index](crate::error_index).
#[must_use = "the context is popped when the guard is dropped"]
pub struct PushedGuard<'ctx> {
    /// First, so that the compiler's message names it and not a private part.
    _thread: NotSend,
    context: &'ctx Context,
    /// Its entry in the log.
    entry: Place,
    /// Invariant, and dropped by *this* type's `Drop`, never by a field's: that is what makes the
    /// borrow below it last, and so what nesting and brands rest on.
    _brand: Brand<'ctx>,
}
assert_not_impl_any!(PushedGuard<'static>: Send, Sync);

impl<'ctx> PushedGuard<'ctx> {
    #[inline]
    pub(super) fn new(below: Level, context: &'ctx Context) -> Result<Self> {
        let entry = below.push(context)?;
        Ok(PushedGuard { _thread: [], context, entry, _brand: Brand::new() })
    }

    #[inline]
    fn level(&self) -> Level {
        self.entry.above(self.context)
    }

    /// Pushes another context on top; this guard cannot be used until that one is gone.
    ///
    /// # Errors
    /// As [`ContextStack::push`](crate::ContextStack::push).
    #[doc(alias = "cuCtxPushCurrent")]
    #[inline]
    pub fn push<'inner>(&'inner mut self, context: &'inner Context) -> Result<PushedGuard<'inner>> {
        PushedGuard::new(self.level(), context)
    }

    /// Pops the context and tells how it went; dropping the guard does the same in silence.
    ///
    /// # Errors
    /// [`Suspended`](crate::Error::Suspended) inside a younger
    /// [`reentrant`](crate::ContextStack::reentrant) call, [`NotCurrent`](crate::Error::NotCurrent) if
    /// foreign code changed the top: nothing is popped then (F87, F88), and the context is kept alive.
    #[doc(alias = "cuCtxPopCurrent")]
    #[inline]
    pub fn pop(self) -> Result {
        let PushedGuard { context, entry, .. } = *ManuallyDrop::new(self);
        entry.pop(context)
    }

    /// The context.
    #[must_use]
    #[inline]
    pub fn context(&self) -> &Context {
        self.context
    }

    /// The context's device.
    #[must_use]
    pub fn device(&self) -> Device {
        self.context.device()
    }

    /// Waits until everything in the context is finished.
    ///
    /// # Errors
    /// [`NotCurrent`](crate::Error::NotCurrent), [`Suspended`](crate::Error::Suspended); a sticky
    /// error of earlier work (F60).
    #[doc(alias = "cuCtxSynchronize")]
    pub fn synchronize(&self) -> Result {
        self.enter(name!(cuCtxSynchronize))?;
        // SAFETY: no obligations; acts on the current context, which `enter` found to be ours.
        wait(unsafe { later!(cuCtxSynchronize()) })
    }

    /// Before a context-sensitive call: the guard's context is current (invariant `right-context`).
    #[inline]
    pub(crate) fn enter(&self, call: &'static str) -> Result {
        self.level().enter(call)
    }
}

impl Drop for PushedGuard<'_> {
    #[inline]
    fn drop(&mut self) {
        if let Err(error) = self.entry.pop(self.context) {
            report_drop(error);
        }
    }
}

impl fmt::Debug for PushedGuard<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PushedGuard").field(self.context).finish()
    }
}
