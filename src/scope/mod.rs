//! Stream scopes: asynchronous work on any number of streams, complete when the scope returns.
//!
//! The guide has a page about this: [streams, scopes and ordered work](crate::guide::streams).

mod args;
mod array;
mod buffer;
mod foreign;
pub(crate) mod hold;
mod host;
mod host_slice;
mod order;
mod order_events;
mod parts;
mod pinned;
mod pitched;
mod scratch;
mod semaphores;
mod stream;
mod verbs;

pub use args::Source;
pub use array::ScopedArray;
pub use buffer::ScopedBuffer;
use hold::Key;
pub use hold::{Destination, Holdable};
pub use host_slice::{ScopedHostMemory, ScopedHostSlice};
pub use parts::{ScopedSlice, ScopedSliceMut};
pub use pinned::ScopedPinned;
pub use pitched::{ScopedPitchedBuffer, ScopedPitchedSlice, ScopedPitchedSliceMut};
pub use stream::ScopedStream;

use crate::brand::{Brand, tied_to_one_thread};
use crate::call::same_context;
use crate::context::Context;
use crate::driver::release::report_drop;
use crate::error::{Error, Result};
use crate::memory::access::Access;
use crate::memory::{Element, PinnedBuffer};
use crate::stack::PushedGuard;
use crate::stream::Stream;
use ffi::CUstream;
pub(crate) use order::Order;
use static_assertions::assert_not_impl_any;
use std::fmt;

/// A scope for asynchronous work on any number of streams, passed to the closure of [`PushedGuard::scope`].
///
/// It lends streams and memory to the work. Memory that the device may still touch is borrowed for `'s`, which
/// outlives the closure. So slices, buffers and streams come from outside the closure, and
/// [`ScopedStream::scratch`] allocates inside it.
///
/// # Examples
/// ```
/// use cuscope::{Context, ContextFlags, ContextStack, Device};
///
/// # fn main() -> cuscope::Result {
/// let context = Context::create(Device::get(0)?, ContextFlags::default())?;
/// let mut stack = ContextStack::current_thread()?;
/// let gpu = stack.push(&context)?;
/// let (first, second) = (gpu.stream()?, gpu.stream()?);
/// let (mut x, mut host) = (gpu.alloc(4)?, [0_u32; 4]);
/// gpu.scope(|s| {
///     let mut x = s.hold(&mut x);
///     s.on(&first).fill(&mut x, 7)?; // returns at once
///     s.on(&second).download(&x, &mut host) // runs after the fill
/// })?; // waits for both streams
/// assert_eq!(host, [7; 4]);
/// # Ok(()) }
/// ```
pub struct Scope<'s, 'env: 's, 'ctx> {
    gpu: &'env PushedGuard<'ctx>,
    order: Order,
    _s: Brand<'s>,
}
tied_to_one_thread! { ['s, 'env, 'ctx] Scope<'s, 'env, 'ctx>, 's; }
assert_not_impl_any!(Scope<'static, 'static, 'static>: Send, Sync);

/// # Scopes
impl<'ctx> PushedGuard<'ctx> {
    /// Runs asynchronous work on any number of streams and waits for all of it.
    ///
    /// It also waits if the closure fails or panics: nothing is in flight when this returns (invariant
    /// [`scope-waits`](crate::soundness#scope-waits)).
    ///
    /// To write a buffer, [hold](Scope::hold) it. A use on one stream then waits for its earlier uses on other
    /// streams (invariant [`scope-ordered`](crate::soundness#scope-ordered)), so streams cannot race. A buffer
    /// that is only read can be borrowed directly. With one stream, the scope makes the driver calls of C, and
    /// one wait at the end.
    ///
    /// # Errors
    /// The error of the closure, otherwise that of the first stream that has one: a sticky error
    /// ([F60](crate::driver_facts#F60)).
    ///
    /// # Aborts
    /// If a kernel faulted, host memory was lent, some of it is page-locked, and the process has several
    /// contexts: the device may still use that memory, and nothing reports when it stops
    /// ([F326](crate::driver_facts#F326)). If no wait proves that the work is over.
    ///
    /// # Panics
    /// If the closure panics, or a [host function](ScopedStream::host_function) in it. Of several panics, that
    /// of the closure continues, otherwise the first.
    ///
    /// # Examples
    /// ```standalone_crate
    /// # use cuscope::{Context, ContextFlags, ContextStack, Device, LaunchConfig, Result};
    /// # fn main() -> Result {
    /// # let context = Context::create(Device::get(0)?, ContextFlags::default())?;
    /// # let mut stack = ContextStack::current_thread()?;
    /// # let gpu = stack.push(&context)?;
    /// # let saxpy = gpu.load_ptx(include_str!("../../examples/kernels/saxpy.ptx"))?.function("saxpy")?;
    /// let (copies, kernels) = (gpu.stream()?, gpu.stream()?);
    /// let (x, mut y) = ([1.0_f32; 64], [2.0_f32; 64]);
    /// let (mut x_dev, mut y_dev) = (gpu.alloc(64)?, gpu.alloc(64)?);
    /// gpu.on(&copies).upload(&y, &mut y_dev)?;
    /// gpu.scope(|s| {
    ///     let (copy, run) = (s.on(&copies), s.on(&kernels));
    ///     let (mut x_dev, mut y_dev) = (s.hold(&mut x_dev), s.hold(&mut y_dev));
    ///     copy.upload(&x, &mut x_dev)?;
    ///     let config = LaunchConfig::for_num_elems(64)?;
    ///     // SAFETY: the kernel is saxpy(unsigned n, float a, const float *x, float *y).
    ///     unsafe { run.launch_unchecked(&saxpy, config, (64_u32, 3.0_f32, &x_dev, &mut y_dev)) }?;
    ///     copy.download(&y_dev, &mut y)
    /// })?;
    /// assert_eq!(y, [5.0; 64]);
    /// # Ok(()) }
    /// ```
    #[doc(alias = "cuStreamSynchronize")]
    pub fn scope<'env, R>(
        &'env self,
        f: impl for<'s> FnOnce(&'s Scope<'s, 'env, 'ctx>) -> Result<R>,
    ) -> Result<R> {
        self.try_scope(f)
    }

    /// [`scope`](Self::scope) for a closure whose error is a type of your own, `Box<dyn Error>` or the like. `?` in it
    /// converts an [`Error`](crate::Error) of the crate as well as every other error that the type can be made from. Name the
    /// type at the closure if nothing else does.
    ///
    /// # Errors
    /// The errors of [`scope`](Self::scope).
    ///
    /// # Aborts, panics
    /// As [`scope`](Self::scope).
    ///
    /// # Examples
    /// ```
    /// # use cuscope::{Context, ContextFlags, ContextStack, Device, Stream};
    /// # use cuscope::{DeviceBuffer, PushedGuard};
    /// use std::error::Error;
    ///
    /// fn load<'ctx>(
    ///     gpu: &PushedGuard<'ctx>,
    ///     stream: &Stream<'ctx>,
    ///     x: &mut DeviceBuffer<'ctx, u8>,
    ///     path: &str,
    /// ) -> Result<(), Box<dyn Error>> {
    ///     let bytes = gpu.try_scope(|s| -> Result<_, Box<dyn Error>> {
    ///         let mut x = s.hold(x);
    ///         s.on(stream).zero(&mut x)?;
    ///         let bytes = std::fs::read(path)?; // while the device works
    ///         if bytes.len() != x.len() {
    ///             return Err("the file has another length".into());
    ///         }
    ///         Ok(bytes)
    ///     })?;
    ///     Ok(gpu.on(stream).upload(&bytes, x)?)
    /// }
    /// # fn main() -> cuscope::Result {
    /// # let context = Context::create(Device::get(0)?, ContextFlags::default())?;
    /// # let mut stack = ContextStack::current_thread()?;
    /// # let gpu = stack.push(&context)?;
    /// # let (stream, mut x) = (gpu.stream()?, gpu.alloc(4)?);
    /// # assert!(load(&gpu, &stream, &mut x, "no such file").is_err());
    /// # Ok(()) }
    /// ```
    pub fn try_scope<'env, R, E: From<Error>>(
        &'env self,
        f: impl for<'s> FnOnce(&'s Scope<'s, 'env, 'ctx>) -> Result<R, E>,
    ) -> Result<R, E> {
        /// Waits when the closure panics.
        struct Close<'a>(&'a Order, &'a Context);
        impl Drop for Close<'_> {
            #[inline]
            fn drop(&mut self) {
                self.0.abandon(self.1);
            }
        }
        let scope = Scope { gpu: self, order: Order::new(self.context()), _s: Brand::new() };
        let close = Close(&scope.order, self.context());
        let result = f(&scope);
        std::mem::forget(close);
        let finished = scope.order.finish(self.context());
        if let Some(panic) = scope.order.end_rest() {
            std::panic::resume_unwind(panic);
        }
        let value = match result {
            Ok(value) => value,
            Err(error) => {
                report_failure(finished);
                return Err(error);
            }
        };
        finished?;
        Ok(value)
    }
}

/// Tells the hook of a guarded kernel that failed in a scope which returns another error.
#[cold]
#[inline(never)]
fn report_failure(finished: Result) {
    if let Err(failed @ Error::OutOfBounds(_)) = finished {
        report_drop(failed);
    }
}

impl<'s, 'ctx> Scope<'s, '_, 'ctx> {
    /// Returns a handle that enqueues work on a stream. All handles of one stream share its order.
    #[must_use]
    #[inline]
    pub fn on(&'s self, stream: &'s Stream<'ctx>) -> ScopedStream<'s, 'ctx> {
        ScopedStream::new(self.gpu.context(), &self.order, stream)
    }

    /// Lends a buffer, or a part of one that can be written, to all streams, for reading and writing. Returns a
    /// [`ScopedBuffer`], a [`ScopedPitchedBuffer`] for memory with rows, a [`ScopedArray`], or a
    /// [`ScopedTexture`](crate::texture::ScopedTexture) or [`ScopedSurface`](crate::texture::ScopedSurface).
    #[must_use]
    #[inline]
    pub fn hold<T: Element, M: Holdable<'ctx, T>>(&'s self, memory: &'s mut M) -> M::Held<'s> {
        memory.hold(Key(()))
    }

    /// Returns a handle that enqueues work on a stream of another context, of this or another device.
    ///
    /// So one scope has work in flight on several devices, and waits for all of it. The memory that operations use
    /// orders them across the contexts, and [`copy_from_peer`](ScopedStream::copy_from_peer) copies between them.
    ///
    /// The other context need not be current, so a guard of it may be covered by the scope's. But copies of memory that
    /// comes from a [pool](crate::MemoryPool) of another device than the current one are refused
    /// ([F348](crate::driver_facts#F348)), and foreign code that the stream lets enqueue finds the scope's context current.
    ///
    /// # Examples
    /// ```
    /// # use cuscope::{Context, ContextStack, Device};
    /// # fn main() -> cuscope::Result {
    /// let contexts = [0, 1].map(|ordinal| Context::primary(Device::get(ordinal % Device::count()?)?));
    /// let [a, b] = contexts;
    /// let (a, b) = (a?, b?);
    /// let mut stack = ContextStack::current_thread()?;
    /// let mut outer = stack.push(&a)?;
    /// let (there, mut x) = (outer.stream()?, outer.alloc(4)?);
    /// let gpu = outer.push(&b)?; // covers the guard of `a`, not its stream and memory
    /// let (here, mut y) = (gpu.stream()?, gpu.alloc(4)?);
    /// let mut host = [0_u32; 4];
    /// gpu.scope(|s| {
    ///     let (mut x, mut y) = (s.hold_peer(&mut x), s.hold(&mut y));
    ///     let (there, here) = (s.on_peer(&there), s.on(&here));
    ///     there.fill(&mut x, 7)?;
    ///     here.copy_from_peer(&x, &mut y)?; // behind the fill
    ///     there.zero(&mut x)?; // behind the copy
    ///     here.download(&y, &mut host)
    /// })?; // waits for both streams
    /// assert_eq!(host, [7; 4]);
    /// # Ok(()) }
    /// ```
    #[must_use]
    #[inline]
    pub fn on_peer<'other>(&'s self, stream: &'s Stream<'other>) -> ScopedStream<'s, 'other> {
        ScopedStream::of_peer(self.gpu.context(), &self.order, stream)
    }

    /// Lends memory of another context, as [`hold`](Self::hold) lends memory of the scope's: to the streams of
    /// [`on_peer`](Self::on_peer) that belong to the same context, and to copies between contexts. Other operations on it
    /// return [`OtherContext`](crate::Error::OtherContext).
    #[must_use]
    pub fn hold_peer<'other, T: Element, M: Holdable<'other, T>>(
        &'s self,
        memory: &'s mut M,
    ) -> M::Held<'s> {
        memory.hold(Key(()))
    }

    /// Makes the next use of memory come behind all work that is in a stream now.
    ///
    /// # Errors
    /// `OtherContext`; the errors of [`Order::prepare`].
    #[inline]
    pub(crate) fn behind(&self, stream: CUstream, memory: &Access<'_>) -> Result {
        let context = self.gpu.context();
        same_context("Scope::hold_ordered", memory.is_of(context.key()))?;
        let index = self.order.index(stream, context);
        self.order.prepare(index, std::slice::from_ref(memory))
    }

    /// Lends host memory that the host can use between transfers: [`ScopedHostSlice::access`].
    #[must_use]
    pub fn stage<T: Element>(&'s self, host: &'s mut [T]) -> ScopedHostSlice<'s, T> {
        ScopedHostSlice::new(&self.order, host)
    }

    /// Lends page-locked host memory to the copies and, over the bus, to the kernels of the scope. The host can
    /// use it in between: [`ScopedPinned::access`].
    #[must_use]
    #[doc(alias = "cuMemHostGetDevicePointer")]
    pub fn map<T: Element>(&'s self, pinned: &'s mut PinnedBuffer<T>) -> ScopedPinned<'s, T> {
        ScopedPinned::new(&self.order, pinned)
    }
}

impl fmt::Debug for Scope<'_, '_, '_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Scope").field(self.gpu.context()).finish()
    }
}
