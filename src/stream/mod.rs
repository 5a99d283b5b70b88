//! Streams: their operations, and their attributes.
#![allow(unsafe_code, reason = "calls the driver")]

mod short;
mod sync_stream;
mod sync_default_stream;
mod stream_ordered;
pub(crate) mod unscoped;
mod attributes;
pub(crate) mod value;
pub(crate) mod host_function;
pub(crate) mod blocking;
#[cfg(feature = "async")]
pub(crate) mod done;
mod foreign;
pub(crate) mod legacy_lock;
mod semaphores;

pub use attributes::{MemSyncDomainMap, SyncPolicy};
#[cfg(feature = "async")]
pub use done::StreamDone;
pub use sync_default_stream::{DefaultStream, SyncDefaultStream};
pub use sync_stream::{OwnStream, SyncMode, SyncStream};
pub use value::{StreamValue, StreamWord, Until, ValueOperation};

use crate::brand::Brand;
use crate::call::{answer, later, name, same_context};
use crate::context::Context;
use crate::context::wait::wait;
use crate::device::Device;
use crate::error::Result;
use crate::owned::{Keep, StreamInner};
use crate::stack::{PushedGuard, with_current};
use crate::sync::Arc;
use ffi::{CUstream, CUstream_flags};
use static_assertions::assert_impl_all;
use std::{fmt, ptr};

ffi::flags! {
    /// Flags that control how a stream behaves.
    #[derive(Default)]
    pub struct StreamFlags: u32 {
        /// The stream does not synchronise implicitly with the legacy default stream, which foreign code may
        /// use.
        const NON_BLOCKING = CUstream_flags::CU_STREAM_NON_BLOCKING.bits();
    }
}

impl StreamFlags {
    /// Returns why no stream was created with these flags.
    #[cold]
    fn wrong(self) -> Option<String> {
        let unknown = self.bits() & !StreamFlags::all().bits();
        (unknown != 0).then(|| {
            format!("no flag of streams has the bits {unknown:#x}: pass those of `StreamFlags`")
        })
    }
}

/// A CUDA stream: device work on it runs in order.
///
/// [`PushedGuard::stream`] creates one. Enqueue work through [`PushedGuard::on`], or in a
/// [scope](PushedGuard::scope). A `Stream` is never the default stream, which is a property of the thread's
/// current context and not a handle.
///
/// The stream keeps its context alive (invariant [`context-alive`](crate::soundness#context-alive)). Dropping
/// it returns at once and needs no current context ([F40](crate::driver_facts#F40),
/// [F51](crate::driver_facts#F51)). The driver's stream lives on while a buffer lives that was [allocated on
/// it](crate::SyncStream::alloc).
///
/// # Examples
/// ```
/// use cuscope::{Context, ContextFlags, ContextStack, Device};
///
/// # fn main() -> cuscope::Result {
/// let context = Context::create(Device::get(0)?, ContextFlags::default())?;
/// let mut stack = ContextStack::current_thread()?;
/// let gpu = stack.push(&context)?;
/// let stream = gpu.stream()?;
/// let mut x = gpu.alloc::<u32>(4)?;
/// gpu.on(&stream).fill(&mut x, 7)?; // returns when the fill is complete
/// assert!(stream.query()?);
/// # Ok(()) }
/// ```
#[doc(alias = "cudaStream_t")]
#[doc(alias = "CudaStream")]
#[doc(alias = "cudaStreamDestroy")]
pub struct Stream<'ctx> {
    /// Shared with the buffers that are freed in the order of this stream.
    pub(crate) inner: Arc<StreamInner>,
    pub(crate) _brand: Brand<'ctx>,
}
assert_impl_all!(Stream<'static>: Send, Sync);

impl Stream<'static> {
    /// Lends the stream under a guard of its context.
    ///
    /// # Errors
    /// `OtherContext`.
    #[inline]
    pub(crate) fn under<'ctx>(
        &self,
        gpu: &PushedGuard<'ctx>,
        call: &'static str,
    ) -> Result<&Stream<'ctx>> {
        same_context(call, gpu.context() == self.context())?;
        // SAFETY: the pointer is valid as long as `self`, since it comes from that reference, and the types are one up to
        // the phantom lifetime of the brand.
        Ok(unsafe { &*(&raw const *self).cast() })
    }
}

impl StreamInner {
    /// Creates a stream in a context that was found to be current.
    #[inline]
    fn create_in_current(context: &Context, flags: StreamFlags) -> Result<StreamInner> {
        let mut raw = ptr::null_mut();
        // SAFETY: writes one handle to `raw`, which is valid for it, in the current context, which is this one; the
        // driver checks the flags.
        unsafe { answer!(cuStreamCreate(&raw mut raw, flags.bits())) }
            .explain(|_| flags.wrong())?;
        Ok(StreamInner::new(raw, context.clone(), flags, None))
    }

    /// Takes a stream, and for one of other code what keeps it alive.
    #[inline]
    pub(crate) fn new(
        raw: CUstream,
        context: Context,
        flags: StreamFlags,
        keep: Option<Box<Keep>>,
    ) -> StreamInner {
        let blocking = !flags.contains(StreamFlags::NON_BLOCKING);
        StreamInner { raw, context, blocking, keep }
    }
}

/// # Streams
impl<'ctx> PushedGuard<'ctx> {
    /// Creates a stream with [`StreamFlags::NON_BLOCKING`].
    ///
    /// # Errors
    /// [`NotCurrent`](crate::Error::NotCurrent); a driver error.
    #[doc(alias = "cuStreamCreate")]
    #[doc(alias = "cudaStreamCreate")]
    #[doc(alias = "new_stream")]
    #[inline]
    pub fn stream(&self) -> Result<Stream<'ctx>> {
        self.stream_with(StreamFlags::NON_BLOCKING)
    }

    /// Creates a stream with the given flags.
    ///
    /// # Errors
    /// [`NotCurrent`](crate::Error::NotCurrent); `CUDA_ERROR_INVALID_VALUE` for unknown flag bits
    /// ([F68](crate::driver_facts#F68)).
    #[doc(alias = "cuStreamCreate")]
    #[inline]
    pub fn stream_with(&self, flags: StreamFlags) -> Result<Stream<'ctx>> {
        self.enter(name!(cuStreamCreate))?;
        let inner = StreamInner::create_in_current(self.context(), flags)?;
        Ok(Stream { inner: Arc::new(inner), _brand: Brand::new() })
    }
}

/// # Streams with a priority
impl<'ctx> PushedGuard<'ctx> {
    /// Creates a stream with the given flags and priority.
    ///
    /// The driver prefers work on streams with a greater priority, which is a *smaller* number. It clamps
    /// numbers outside [`stream_priority_range`](Self::stream_priority_range) to that range
    /// ([F68](crate::driver_facts#F68)).
    ///
    /// # Errors
    /// The errors of [`stream_with`](Self::stream_with).
    #[doc(alias = "cuStreamCreateWithPriority")]
    #[doc(alias = "cudaStreamCreateWithPriority")]
    #[inline]
    pub fn stream_with_priority(&self, flags: StreamFlags, priority: i32) -> Result<Stream<'ctx>> {
        self.enter(name!(cuStreamCreateWithPriority))?;
        let mut raw = ptr::null_mut();
        // SAFETY: writes one handle to `raw`, which is valid for it, in the current context, which `enter` found to be
        // the guard's; the driver checks the flags.
        unsafe { answer!(cuStreamCreateWithPriority(&raw mut raw, flags.bits(), priority)) }
            .explain(|_| flags.wrong())?;
        let inner = Arc::new(StreamInner::new(raw, self.context().clone(), flags, None));
        Ok(Stream { inner, _brand: Brand::new() })
    }
}

impl<'ctx> Stream<'ctx> {
    /// Creates another stream in the same context, which this pushes if it is not current.
    #[inline]
    pub(super) fn another(&self) -> Result<Stream<'ctx>> {
        let create = || StreamInner::create_in_current(self.context(), StreamFlags::NON_BLOCKING);
        let inner = Arc::new(with_current(self.context(), create)?);
        Ok(Stream { inner, _brand: Brand::new() })
    }
}

impl Stream<'_> {
    /// Returns the context.
    #[must_use]
    #[inline]
    pub fn context(&self) -> &Context {
        &self.inner.context
    }

    /// Returns the handle, for calls of [`ffi`]. It is valid while this value lives. Do not destroy it.
    #[must_use]
    #[inline]
    pub fn raw(&self) -> CUstream {
        self.inner.raw
    }

    /// Returns whether all work in the stream is complete.
    ///
    /// # Errors
    /// A sticky error of earlier work ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuStreamQuery")]
    #[doc(alias = "cudaStreamQuery")]
    #[inline]
    pub fn query(&self) -> Result<bool> {
        // SAFETY: the stream is alive; needs no current context (F37).
        unsafe { answer!(cuStreamQuery(self.raw())) }.ready()
    }

    /// Waits until all work in the stream is complete.
    ///
    /// # Errors
    /// A sticky error of earlier work ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuStreamSynchronize")]
    #[doc(alias = "cudaStreamSynchronize")]
    #[inline]
    pub fn synchronize(&self) -> Result {
        // SAFETY: the stream is alive; needs no current context (F37).
        wait(unsafe { later!(cuStreamSynchronize(self.raw())) })
    }

    /// Returns the flags.
    ///
    /// # Errors
    /// A driver error.
    #[doc(alias = "cuStreamGetFlags")]
    #[inline]
    pub fn flags(&self) -> Result<StreamFlags> {
        let mut flags = 0;
        // SAFETY: the stream is alive; writes one `c_uint` to `flags`, which is valid for it.
        unsafe { answer!(cuStreamGetFlags(self.raw(), &raw mut flags)) }.check()?;
        Ok(StreamFlags::from_bits_retain(flags))
    }
}

impl Stream<'_> {
    /// Returns a number that identifies the stream. No other stream of the process has or had it.
    ///
    /// # Errors
    /// A driver error.
    #[doc(alias = "cuStreamGetId")]
    #[inline]
    pub fn id(&self) -> Result<u64> {
        let mut id = 0;
        // SAFETY: the stream is alive; writes one number to `id`, which is valid for it.
        unsafe { answer!(cuStreamGetId(self.raw(), &raw mut id)) }.check()?;
        Ok(id)
    }

    /// Returns the device.
    #[must_use]
    #[doc(alias = "cuStreamGetDevice")]
    #[inline]
    pub fn device(&self) -> Device {
        self.context().device()
    }

    /// Returns the priority.
    ///
    /// # Errors
    /// A driver error.
    #[doc(alias = "cuStreamGetPriority")]
    #[inline]
    pub fn priority(&self) -> Result<i32> {
        let mut priority = 0;
        // SAFETY: the stream is alive; writes one `c_int` to `priority`, which is valid for it.
        unsafe { answer!(cuStreamGetPriority(self.raw(), &raw mut priority)) }.check()?;
        Ok(priority)
    }
}

impl fmt::Debug for Stream<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stream({:p}, {:?})", self.raw(), self.context())
    }
}
