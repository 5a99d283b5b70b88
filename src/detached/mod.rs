//! Handles without a guard. They can be stored in `'static` structs, sent to other threads, and used again
//! under any guard of their context.
//!
//! The guide has a page about this: [a struct that owns its GPU state](crate::guide::gpu_state).
#![allow(unsafe_code, reason = "changes a phantom lifetime behind a reference")]

mod branded;
mod collections;
mod plain;
mod shown;
mod structs;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::stack::PushedGuard;
use crate::stream::Stream;
use branded::Key;
use static_assertions::assert_impl_all;
use std::any::type_name;
use std::fmt;

pub use branded::Branded;
#[doc(hidden)]
pub use branded::{Key as BrandKey, Sealed as BrandedSealed};
pub use plain::Plain;

/// A handle that is not tied to a guard, such as `Detached<Stream<'static>>`.
///
/// It is `'static`, and `Send` and `Sync` if the handle is, so it may move between threads. Dropping it on any
/// thread releases the resource, whatever context is current there ([F40](crate::driver_facts#F40)).
///
/// To use the handle, [`attach`](PushedGuard::attach) it to a guard of its context, or let one
/// [`bind`](PushedGuard::bind) it (invariant [`detached-unusable`](crate::soundness#detached-unusable)).
///
/// # Examples
/// ```
/// use cuscope::{Context, ContextFlags, ContextStack, Detached, Device, Stream};
///
/// struct Worker {
///     context: Context,
///     stream: Detached<Stream<'static>>,
/// }
///
/// # fn main() -> cuscope::Result {
/// let context = Context::create(Device::get(0)?, ContextFlags::default())?;
/// let mut stack = ContextStack::current_thread()?;
/// let gpu = stack.push(&context)?;
/// let stream = gpu.stream()?.detach(); // outlives the guard
/// gpu.pop()?;
///
/// let worker = Worker { context, stream };
/// let gpu = stack.push(&worker.context)?;
/// assert!(gpu.bind(&worker.stream)?.query()?);
/// # Ok(()) }
/// ```
#[must_use = "the handle is released when this is dropped"]
pub struct Detached<H>(H);
assert_impl_all!(Detached<Stream<'static>>: Send, Sync);

/// Names the type and the context. The `Debug` of a struct is code of the program, which would use the handles without a
/// guard.
impl<H: Branded> fmt::Debug for Detached<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Detached<{}>(", type_name::<H>())?;
        match self.context() {
            Some(context) => write!(f, "{context:?})"),
            None => f.write_str("no handle)"),
        }
    }
}

/// The error of [`PushedGuard::attach`]. It contains the handle, and `?` converts it to
/// [`Error::OtherContext`].
pub struct NotAttached<H>(pub Detached<H>);

impl<H> fmt::Debug for NotAttached<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NotAttached: the handle belongs to another context")
    }
}

#[diagnostic::do_not_recommend]
impl<H> From<NotAttached<H>> for Error {
    fn from(_: NotAttached<H>) -> Self {
        Error::OtherContext { call: "PushedGuard::attach" }
    }
}

impl<H: Branded> Detached<H> {
    /// Detaches handles from their guard: one, a tuple or `Vec` of them, or a struct that
    /// [`handles!`](crate::handles!) declares. Needs no current context, neither now nor when they are dropped.
    ///
    /// A single handle, and a struct, have the method `detach` for it.
    ///
    /// # Examples
    /// ```
    /// # use cuscope::{Context, ContextFlags, Detached, Device, Event, Stream};
    /// # fn main() -> cuscope::Result {
    /// # let context = Context::create(Device::get(0)?, ContextFlags::default())?;
    /// let pair: Detached<(Stream<'static>, Event<'static>)> =
    ///     context.with(|gpu| Ok(Detached::new((gpu.stream()?, gpu.event()?))))?;
    /// context.with(|gpu| {
    ///     let (stream, event) = gpu.bind(&pair)?;
    ///     gpu.on(stream).record(event)
    /// })
    /// # }
    /// ```
    pub fn new(handles: H) -> Detached<H::With<'static>> {
        Detached(handles.rebrand(Key(())))
    }

    /// Returns the context that the handles belong to, so that you can push it. Returns `None` if there are no
    /// handles.
    #[must_use]
    pub fn context(&self) -> Option<Context> {
        let mut first = None;
        self.0.contexts(&mut |context| {
            first.get_or_insert_with(|| context.clone());
        });
        first
    }

    #[inline]
    fn belongs_to(&self, context: &Context) -> bool {
        let mut all = true;
        self.0.contexts(&mut |c| all &= c == context);
        all
    }
}

/// # Detached handles
impl<'ctx> PushedGuard<'ctx> {
    /// Ties a detached handle to this guard. Makes no driver call.
    ///
    /// # Errors
    /// [`NotAttached`], which contains the handle, if the handle belongs to another context.
    pub fn attach<H: Branded>(&self, handle: Detached<H>) -> Result<H::With<'ctx>, NotAttached<H>> {
        if handle.belongs_to(self.context()) {
            Ok(handle.0.rebrand(Key(())))
        } else {
            Err(NotAttached(handle))
        }
    }

    /// Lends a detached handle under this guard. Makes no driver call.
    ///
    /// # Errors
    /// [`OtherContext`](Error::OtherContext).
    #[inline]
    pub fn bind<'d, H: Branded>(&self, handle: &'d Detached<H>) -> Result<&'d H::With<'ctx>> {
        if !handle.belongs_to(self.context()) {
            return Err(Error::OtherContext { call: "PushedGuard::bind" });
        }
        // SAFETY: the pointer is valid for `'d` as it comes from a reference, and the types are one up
        // to a phantom lifetime (`Branded` 1).
        Ok(unsafe { &*(&raw const handle.0).cast() })
    }

    /// Lends a detached handle exclusively under this guard. Makes no driver call.
    ///
    /// # Errors
    /// [`OtherContext`](Error::OtherContext).
    #[inline]
    pub fn bind_mut<'d, H: Branded>(
        &self,
        handle: &'d mut Detached<H>,
    ) -> Result<&'d mut H::With<'ctx>> {
        if !handle.belongs_to(self.context()) {
            return Err(Error::OtherContext { call: "PushedGuard::bind_mut" });
        }
        // SAFETY: as in `bind`, from an exclusive reference. Whatever is written through it carries the
        // brand `'ctx` but owns its context, so it stays valid as a `Detached`.
        Ok(unsafe { &mut *(&raw mut handle.0).cast() })
    }
}
