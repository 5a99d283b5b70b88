//! The guard: its context is current while it lives.
#![allow(unsafe_code, reason = "calls the driver")]

use super::stack_pos::{Cursor, StackPos};
use crate::brand::{Brand, NotSend};
use crate::call::{later, name};
use crate::context::Context;
use crate::context::wait::wait;
use crate::device::Device;
use crate::driver::release::{catch_up, report_drop};
use crate::error::Result;
use static_assertions::assert_not_impl_any;
use std::fmt;
use std::mem::ManuallyDrop;

/// A guard that keeps a context current on this thread and creates the handles of the context.
///
/// [`ContextStack::push`](crate::ContextStack::push) returns it. Dropping it pops the context;
/// [`pop`](Self::pop) also returns the result.
///
/// Its methods are the driver calls that act on the current context. They create streams, events, modules and
/// memory, and wait for all work in the context. Each of these calls first compares the current
/// context (`cuCtxGetCurrent`, 10 ns) and returns [`NotCurrent`](crate::Error::NotCurrent) if foreign code
/// changed it. To run work on a stream, use [`on`](Self::on).
///
/// The guard borrows its context, so the context outlives its entry. To give the context up earlier, push a
/// clone of it.
///
/// A handle carries the guard's lifetime `'ctx` as a *brand*, and works with this guard alone. It does not
/// borrow the guard: it survives a nested [`push`](Self::push), is unusable while the nested guard lives, and
/// may be dropped after the guard. The [error index](crate::error_index) lists the compiler's message for each
/// broken rule.
///
/// # Examples
/// ```
/// use cuscope::{Context, ContextFlags, ContextStack, Device};
///
/// # fn main() -> cuscope::Result {
/// let context = Context::create(Device::get(0)?, ContextFlags::default())?;
/// let mut stack = ContextStack::current_thread()?;
/// let gpu = stack.push(&context)?; // `context` is current from here on
/// let stream = gpu.stream()?;
/// let mut x = gpu.alloc(4)?;
/// gpu.on(&stream).upload(&[1.0_f32, 2.0, 3.0, 4.0], &mut x)?;
/// assert_eq!(gpu.on(&stream).to_vec(&x)?, [1.0, 2.0, 3.0, 4.0]);
/// gpu.pop()
/// # }
/// ```
#[must_use = "the context is popped when the guard is dropped: write `let gpu = …` (`let _ = …` drops it at once)"]
pub struct PushedGuard<'ctx> {
    /// First, so that the compiler's message names it and not a private part.
    _thread: NotSend,
    context: &'ctx Context,
    /// Its entry in the log.
    entry: Cursor,
    /// Invariant, and dropped by the `Drop` of *this* type, never by that of a field. This makes the borrow
    /// below the guard last, and nesting and brands rely on it.
    _brand: Brand<'ctx>,
}
assert_not_impl_any!(PushedGuard<'static>: Send, Sync);

/// # The stack and the context
impl<'ctx> PushedGuard<'ctx> {
    #[inline]
    pub(super) fn new(below: StackPos, context: &'ctx Context) -> Result<Self> {
        let entry = below.push(context)?;
        Ok(PushedGuard { _thread: [], context, entry, _brand: Brand::new() })
    }

    /// Creates the guard of an entry that another value owns, and pops.
    pub(super) fn of_entry(context: &'ctx Context, entry: Cursor) -> ManuallyDrop<Self> {
        ManuallyDrop::new(PushedGuard { _thread: [], context, entry, _brand: Brand::new() })
    }

    #[inline]
    fn pos(&self) -> StackPos {
        self.entry.above(self.context)
    }

    /// Pushes another context on top. This guard cannot be used until the new guard is gone.
    ///
    /// # Errors
    /// The errors of [`ContextStack::push`](crate::ContextStack::push).
    #[doc(alias = "cuCtxPushCurrent")]
    #[inline]
    pub fn push<'inner>(&'inner mut self, context: &'inner Context) -> Result<PushedGuard<'inner>> {
        PushedGuard::new(self.pos(), context)
    }

    /// Pops the context and returns the result. Dropping the guard does the same without a result.
    ///
    /// # Errors
    /// [`Suspended`](crate::Error::Suspended) inside a younger [`reentrant`](crate::ContextStack::reentrant)
    /// call; [`NotCurrent`](crate::Error::NotCurrent) if foreign code changed the top. In both cases nothing is
    /// popped ([F87](crate::driver_facts#F87), [F88](crate::driver_facts#F88)), and the context is kept alive.
    #[doc(alias = "cuCtxPopCurrent")]
    #[inline]
    pub fn pop(self) -> Result {
        let PushedGuard { context, entry, .. } = *ManuallyDrop::new(self);
        entry.pop(context)
    }

    /// Returns the context.
    #[must_use]
    #[inline]
    pub fn context(&self) -> &'ctx Context {
        self.context
    }

    /// Returns the context's device.
    #[must_use]
    pub fn device(&self) -> Device {
        self.context.device()
    }

    /// Waits until all work in the context is complete.
    ///
    /// # Errors
    /// [`NotCurrent`](crate::Error::NotCurrent), [`Suspended`](crate::Error::Suspended); a sticky error of
    /// earlier work ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuCtxSynchronize")]
    #[doc(alias = "cudaDeviceSynchronize")]
    pub fn synchronize(&self) -> Result {
        catch_up();
        self.enter(name!(cuCtxSynchronize))?;
        // SAFETY: no obligations; acts on the current context, which `enter` found to be ours.
        wait(unsafe { later!(cuCtxSynchronize()) })
    }

    /// Checks before a context-sensitive call that the guard's context is current (invariant
    /// [`right-context`](crate::soundness#right-context)).
    #[inline]
    pub(crate) fn enter(&self, call: &'static str) -> Result {
        self.pos().enter(call)
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
