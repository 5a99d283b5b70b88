//! A guard that borrows nothing.

use super::guard::PushedGuard;
use super::stack_pos::OwnedEntry;
use crate::brand::NotSend;
use crate::context::Context;
use crate::driver::init;
use crate::driver::release::report_drop;
use crate::error::{Error, Result};
use static_assertions::assert_not_impl_any;
use std::fmt;

/// A guard that owns its context and its place on the thread's stack, so that a value can have it as a field: a command
/// that is put together over several calls, or the state of a server thread.
///
/// [`Context::push_owned`] returns it, and its drop pops the context. It borrows nothing. So the compiler cannot see in
/// which order such guards are used and dropped, and cuscope compares it when the program runs (invariant
/// [`owned-in-order`](crate::soundness#owned-in-order)):
///
/// - While it lives, guards and stacks of the thread that were made before neither push nor pop, as inside
///   [`reentrant`](crate::ContextStack::reentrant): [`Suspended`](Error::Suspended).
/// - Older owned guards are suspended in the same way. One that is dropped early pops nothing. Its context stays alive and
///   stays on the stack until the younger ones are gone.
/// - A guard that is made inside `reentrant` ends with that call. Later uses return
///   [`InvalidArgument`](Error::InvalidArgument). [`Context::with`] returns `Suspended` besides, if one is left.
/// - If it is leaked, it lives for ever: its context stays current on the thread.
///
/// It has no brand, so nothing is created with it or bound to it directly. [`with`](Self::with) lends a
/// [`PushedGuard`] to a closure, and makes no driver call for that.
///
/// Where a lifetime will do, use [`ContextStack::push`](crate::ContextStack::push): it makes one driver call less, and
/// mistakes do not compile. [Ordered streams](crate::OrderedStream), their memory and [kernels](crate::Kernel) need no
/// guard at all.
///
/// # Examples
/// ```
/// use cuscope::{Context, Detached, Device, DeviceBuffer, Result, Stream, stack::OwnedGuard};
///
/// struct Server {
///     context: Context,
///     stream: Detached<Stream<'static>>,
/// }
///
/// /// A command that is put together: its context is current until it is dropped.
/// struct Command<'s> {
///     server: &'s mut Server,
///     gpu: OwnedGuard,
/// }
///
/// impl Server {
///     fn command(&mut self) -> Result<Command<'_>> {
///         let gpu = self.context.push_owned()?;
///         Ok(Command { server: self, gpu })
///     }
/// }
///
/// impl Command<'_> {
///     fn zeroed(&mut self, len: usize) -> Result<Detached<DeviceBuffer<'static, f32>>> {
///         self.gpu.with(|gpu| {
///             let stream = gpu.bind(&self.server.stream)?;
///             Ok(gpu.on(stream).zeroed(len)?.detach())
///         })
///     }
/// }
///
/// # fn main() -> Result {
/// let context = Context::primary(Device::get(0)?)?;
/// let stream = context.with(|gpu| Ok(gpu.stream()?.detach()))?;
/// let mut server = Server { context, stream };
/// let mut command = server.command()?;
/// let (x, y) = (command.zeroed(64)?, command.zeroed(64)?);
/// # drop((x, y));
/// # Ok(()) }
/// ```
#[must_use = "the context is popped when the guard is dropped"]
pub struct OwnedGuard {
    /// First, so that the compiler's message names it and not a private part.
    _thread: NotSend,
    entry: OwnedEntry,
    context: Context,
}
assert_not_impl_any!(OwnedGuard: Send, Sync);

/// # Guards that own their context
impl Context {
    /// Pushes the context on the calling thread's stack, for as long as the returned guard lives. Works on any thread,
    /// above whatever is there. Initialises the driver.
    ///
    /// # Errors
    /// The errors of [`init`](crate::init()); [`InvalidArgument`](Error::InvalidArgument) in a function of
    /// [`on_driver_log`](crate::diagnostics::on_driver_log); a driver error.
    #[doc(alias = "cuCtxPushCurrent")]
    #[doc(alias = "cuCtxSetCurrent")]
    #[inline]
    pub fn push_owned(&self) -> Result<OwnedGuard> {
        init()?;
        Ok(OwnedGuard { _thread: [], entry: OwnedEntry::push(self)?, context: self.clone() })
    }
}

impl OwnedGuard {
    /// Lends a guard of the context to `f`. Makes no driver call: each operation that needs the context compares it, as
    /// with every guard. Handles leave `f` only [detached](crate::Detached).
    ///
    /// # Errors
    /// [`InvalidArgument`](Error::InvalidArgument) if this guard ended with the [`reentrant`](crate::ContextStack::reentrant)
    /// call that it was made in, before `f` is called; the error that `f` returns.
    pub fn with<R>(
        &mut self,
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
        &mut self,
        f: impl for<'ctx> FnOnce(&mut PushedGuard<'ctx>) -> Result<R, E>,
    ) -> Result<R, E> {
        let entry = self.entry.entry("OwnedGuard::with")?;
        f(&mut PushedGuard::of_entry(&self.context, entry))
    }

    /// Returns the context.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Pops the context and returns the result. Dropping the guard does the same without a result.
    ///
    /// # Errors
    /// The errors of [`PushedGuard::pop`], where a younger [`OwnedGuard`] counts as a `reentrant` call;
    /// [`InvalidArgument`](Error::InvalidArgument) if the guard ended before.
    #[doc(alias = "cuCtxPopCurrent")]
    #[inline]
    pub fn pop(self) -> Result {
        // The drop at the end finds that the guard has ended.
        self.entry.pop(&self.context)
    }
}

impl Drop for OwnedGuard {
    #[inline]
    fn drop(&mut self) {
        if self.entry.is_live() {
            if let Err(error) = self.entry.pop(&self.context) {
                report_drop(error);
            }
        }
    }
}

impl fmt::Debug for OwnedGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OwnedGuard").field(&self.context).finish()
    }
}
