//! The right to push on the calling thread's stack.

use super::guard::PushedGuard;
use super::stack_pos::StackPos;
use crate::brand::{Brand, NotSend};
use crate::context::{Context, current_raw};
use crate::driver::capture_mode::Relaxed;
use crate::driver::init;
use crate::error::{Error, Result};
use static_assertions::assert_not_impl_any;
use std::fmt;

/// The right to push contexts on the calling thread's context stack.
///
/// A thread has at most one at any time (invariant [`one-token`](crate::soundness#one-token)), and it stays on
/// its thread ([`stays-on-thread`](crate::soundness#stays-on-thread)). [`push`](Self::push) makes a context
/// current and returns a guard. Contexts that foreign code pushed before stay untouched, below.
///
/// While the value lives, the thread is in relaxed stream capture mode. A capture of foreign code, on this
/// thread or another one, then does not refuse frees, unloads, allocations and waits of this thread, and they
/// do not invalidate it. This needs no driver call for each of them ([F100](crate::driver_facts#F100),
/// [F101](crate::driver_facts#F101), [F140](crate::driver_facts#F140)). Foreign code that wants the driver's
/// checks for itself may set another mode (`cuThreadExchangeStreamCaptureMode`). It should restore the mode
/// that it found.
///
/// # Examples
/// ```
/// use cuscope::{Context, ContextFlags, ContextStack, Device};
///
/// # fn main() -> cuscope::Result {
/// let context = Context::create(Device::get(0)?, ContextFlags::default())?;
/// let mut stack = ContextStack::current_thread()?;
/// let gpu = stack.push(&context)?;
/// gpu.synchronize()?;
/// gpu.pop()
/// # }
/// ```
#[doc(alias = "cudaSetDevice")]
#[doc(alias = "bind_to_thread")]
pub struct ContextStack {
    /// First, so that the compiler's message names it and not a private part.
    _thread: NotSend,
    pos: StackPos,
    /// After the position, which is given back first.
    _relaxed: Relaxed,
}
assert_not_impl_any!(ContextStack: Send, Sync);

impl ContextStack {
    /// Takes the calling thread's stack. Initialises the driver.
    ///
    /// Dropping the value gives the stack back.
    ///
    /// # Errors
    /// [`StackTaken`](crate::Error::StackTaken) while another one lives on this thread, or inside
    /// [`reentrant`](Self::reentrant); the errors of [`init`]; a driver error.
    #[doc(alias = "cuCtxGetCurrent")]
    #[doc(alias = "cuThreadExchangeStreamCaptureMode")]
    pub fn current_thread() -> Result<ContextStack> {
        init()?;
        let pos = StackPos::take_thread()?;
        let relaxed = Relaxed::enter().inspect_err(|_| pos.give_thread_back())?;
        Ok(ContextStack { pos, _relaxed: relaxed, _thread: [] })
    }

    /// Pushes a context. It is current until the guard is popped or dropped.
    ///
    /// It lies above whatever foreign code left on the thread's stack, also if foreign code replaced or covered the
    /// entry of an earlier guard. Such a guard cannot pop its entry, and its context stays alive as long as the entry
    /// may be there.
    ///
    /// # Errors
    /// [`Suspended`](crate::Error::Suspended) inside a [`reentrant`](Self::reentrant) call; a driver error.
    #[doc(alias = "cuCtxPushCurrent")]
    #[inline]
    pub fn push<'ctx>(&'ctx mut self, context: &'ctx Context) -> Result<PushedGuard<'ctx>> {
        PushedGuard::new(self.pos, context)
    }

    /// Lends a stack to code that cannot receive one from its caller: below a foreign callback, in a
    /// destructor.
    ///
    /// Guards and stacks from outside are suspended until `f` returns: they neither push nor pop (invariant
    /// [`frames-suspend`](crate::soundness#frames-suspend)). Entries that `f` leaves pushed are popped, also
    /// when it panics ([`reentrant-restores`](crate::soundness#reentrant-restores)). Initialises the driver.
    ///
    /// # Errors
    /// The errors of [`init`], before `f` is called; otherwise the error that `f` returns.
    ///
    /// # Examples
    /// ```
    /// use cuscope::{Context, ContextStack, Result};
    ///
    /// /// Called from anywhere, whatever is current.
    /// extern "C" fn plugin_flush(context: &Context) -> bool {
    ///     ContextStack::reentrant(|stack| stack.push(context)?.synchronize()).is_ok()
    /// }
    /// ```
    pub fn reentrant<R>(f: impl for<'s> FnOnce(&mut NestedStack<'s>) -> Result<R>) -> Result<R> {
        ContextStack::try_reentrant(f)
    }

    /// [`reentrant`](Self::reentrant) for a closure with another error type, as [`PushedGuard::try_scope`] is for
    /// [`PushedGuard::scope`].
    ///
    /// # Errors
    /// The errors of [`reentrant`](Self::reentrant).
    pub fn try_reentrant<R, E: From<Error>>(
        f: impl for<'s> FnOnce(&mut NestedStack<'s>) -> Result<R, E>,
    ) -> Result<R, E> {
        init()?;
        let frame = StackPos::open_frame()?;
        f(&mut NestedStack { pos: frame.base, _brand: Brand::new(), _thread: [] })
    }
}

/// # The stack
impl Context {
    /// Runs `f` with this context on top of the calling thread's stack, and pops it.
    ///
    /// This is for code that has neither a stack nor a guard at hand, such as a method of a struct that owns its
    /// context. It is [`ContextStack::reentrant`] with one push in it, so it works on any thread, inside of other
    /// guards too. Guards and stacks that were made before cannot be used inside `f`. Handles leave `f` only
    /// [detached](crate::Detached). [Ordered values](crate::OrderedStream) and [kernels](crate::Kernel) need no guard.
    ///
    /// A function of yours that passes such a closure on names the lifetime:
    /// `f: impl for<'ctx> FnOnce(&mut PushedGuard<'ctx>) -> Result<R>`.
    ///
    /// # Errors
    /// The errors of [`ContextStack::reentrant`] and [`ContextStack::push`], before `f` is called; the error that `f`
    /// returns; a pop that fails.
    ///
    /// # Examples
    /// ```
    /// use cuscope::{Context, ContextFlags, Detached, Device, DeviceBuffer, Result, Stream};
    ///
    /// cuscope::handles! {
    ///     struct Parts<'ctx> {
    ///         stream: Stream<'ctx>,
    ///         sums: DeviceBuffer<'ctx, f32>,
    ///     }
    /// }
    ///
    /// struct Accumulator {
    ///     parts: Detached<Parts<'static>>,
    ///     context: Context,
    /// }
    ///
    /// impl Accumulator {
    ///     fn reset(&mut self, value: f32) -> Result {
    ///         self.context.with(|gpu| {
    ///             let Parts { stream, sums } = gpu.bind_mut(&mut self.parts)?;
    ///             gpu.on(stream).fill(sums, value)
    ///         })
    ///     }
    /// }
    /// # fn main() -> Result {
    /// # let context = Context::create(Device::get(0)?, ContextFlags::default())?;
    /// # let parts = context.with(|gpu| {
    /// #     let (stream, sums) = (gpu.stream()?, gpu.alloc(8)?);
    /// #     Ok(Parts { stream, sums }.detach())
    /// # })?;
    /// # Accumulator { parts, context }.reset(1.0)
    /// # }
    /// ```
    #[doc(alias = "cuCtxPushCurrent")]
    #[doc(alias = "cuCtxPopCurrent")]
    pub fn with<R>(
        &self,
        f: impl for<'ctx> FnOnce(&mut PushedGuard<'ctx>) -> Result<R>,
    ) -> Result<R> {
        self.try_with(f)
    }

    /// [`with`](Self::with) for a closure with another error type, as [`PushedGuard::try_scope`] is for
    /// [`PushedGuard::scope`].
    ///
    /// # Errors
    /// The errors of [`with`](Self::with).
    pub fn try_with<R, E: From<Error>>(
        &self,
        f: impl for<'ctx> FnOnce(&mut PushedGuard<'ctx>) -> Result<R, E>,
    ) -> Result<R, E> {
        ContextStack::try_reentrant(|stack| {
            let mut gpu = stack.push(self)?;
            let done = f(&mut gpu)?;
            gpu.pop()?;
            Ok(done)
        })
    }
}

/// Runs `f` while a context is current. If it is not, this pushes it for `f`.
///
/// # Errors
/// The error that `f` returns; a driver error.
pub(crate) fn with_current<R>(context: &Context, f: impl FnOnce() -> Result<R>) -> Result<R> {
    if current_raw()? == context.raw() {
        return f();
    }
    context.with(|_| f())
}

impl Drop for ContextStack {
    fn drop(&mut self) {
        self.pos.give_thread_back();
    }
}

impl fmt::Debug for ContextStack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ContextStack")
    }
}

/// The stack that [`ContextStack::reentrant`] lends. Its brand prevents swapping it for another one.
pub struct NestedStack<'s> {
    /// First, as in [`ContextStack`].
    _thread: NotSend,
    pos: StackPos,
    _brand: Brand<'s>,
}
assert_not_impl_any!(NestedStack<'static>: Send, Sync);

impl NestedStack<'_> {
    /// Pushes a context. It is current until the guard is popped or dropped.
    ///
    /// # Errors
    /// The errors of [`ContextStack::push`].
    #[doc(alias = "cuCtxPushCurrent")]
    #[inline]
    pub fn push<'ctx>(&'ctx mut self, context: &'ctx Context) -> Result<PushedGuard<'ctx>> {
        PushedGuard::new(self.pos, context)
    }
}

impl fmt::Debug for NestedStack<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NestedStack")
    }
}
