//! Streams.
#![allow(unsafe_code, reason = "calls the driver")]

mod attributes;
pub(crate) mod blocking;
#[cfg(feature = "async")]
mod finished;
pub(crate) mod host_function;
pub(crate) mod legacy_gate;
mod on_default_stream;
mod on_stream;
mod short;
mod stream_ordered;

pub use attributes::{
    AccessPolicyWindow, AccessProperty, MemSyncDomain, MemSyncDomainMap, SyncPolicy,
};
#[cfg(feature = "async")]
pub use finished::Finished;
pub use on_default_stream::OnDefaultStream;
pub use on_stream::OnStream;

use crate::brand::Brand;
use crate::call::{answer, later, name};
use crate::context::Context;
use crate::context::wait::wait;
use crate::device::Device;
use crate::error::Result;
use crate::owned::StreamInner;
use crate::stack::PushedGuard;
use crate::sync::Arc;
use bitflags::bitflags;
use ffi::{CUstream, CUstream_flags};
use static_assertions::assert_impl_all;
use std::{fmt, ptr};

bitflags! {
    /// How a stream behaves.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct StreamFlags: u32 {
        /// No implicit order with the legacy default stream, which foreign code may use.
        const NON_BLOCKING = CUstream_flags::CU_STREAM_NON_BLOCKING.bits();
    }
}

/// A stream of one context: work on it runs in order. Never the default stream, which is a property
/// of the thread's current context and not a handle.
///
/// Work goes through [`PushedGuard::on`]. This crate has no managed memory, and so none to attach to a stream
/// (`cuStreamAttachMemAsync`). The last clone of its context outlives it (invariant
/// `context-alive`); dropping it returns at once and needs no current context (F40, F51). The driver's
/// stream lives on while a buffer does that was [allocated on it](crate::OnStream::alloc).
pub struct Stream<'ctx> {
    /// Shared with the buffers that are freed in its order.
    pub(crate) inner: Arc<StreamInner>,
    pub(crate) _brand: Brand<'ctx>,
}
assert_impl_all!(Stream<'static>: Send, Sync);

impl StreamInner {
    fn new(raw: CUstream, context: Context, flags: StreamFlags) -> StreamInner {
        let blocking = !flags.contains(StreamFlags::NON_BLOCKING);
        StreamInner { raw, context, blocking }
    }
}

impl<'ctx> PushedGuard<'ctx> {
    /// Creates a stream with [`StreamFlags::NON_BLOCKING`].
    ///
    /// # Errors
    /// [`NotCurrent`](crate::Error::NotCurrent); what the driver answers.
    #[doc(alias = "cuStreamCreate")]
    pub fn stream(&self) -> Result<Stream<'ctx>> {
        self.stream_with(StreamFlags::NON_BLOCKING)
    }

    /// Creates a stream.
    ///
    /// # Errors
    /// [`NotCurrent`](crate::Error::NotCurrent); `CUDA_ERROR_INVALID_VALUE` for bits that are no flag
    /// (F68).
    #[doc(alias = "cuStreamCreate")]
    pub fn stream_with(&self, flags: StreamFlags) -> Result<Stream<'ctx>> {
        self.enter(name!(cuStreamCreate))?;
        let mut raw = ptr::null_mut();
        // SAFETY: writes one handle to `raw`, which is valid for it, in the current context, which
        // `enter` found to be the guard's; the driver checks the flags.
        unsafe { answer!(cuStreamCreate(&raw mut raw, flags.bits())) }.check()?;
        let inner = Arc::new(StreamInner::new(raw, self.context().clone(), flags));
        Ok(Stream { inner, _brand: Brand::new() })
    }
}

impl<'ctx> PushedGuard<'ctx> {
    /// Creates a stream with a priority: the driver prefers work of streams with a greater one, which
    /// is a *smaller* number. Numbers outside of
    /// [`stream_priority_range`](Self::stream_priority_range) count as its nearest (F68).
    ///
    /// # Errors
    /// As [`stream_with`](Self::stream_with).
    #[doc(alias = "cuStreamCreateWithPriority")]
    pub fn stream_with_priority(&self, flags: StreamFlags, priority: i32) -> Result<Stream<'ctx>> {
        self.enter(name!(cuStreamCreateWithPriority))?;
        let mut raw = ptr::null_mut();
        // SAFETY: as in `stream_with`.
        unsafe { answer!(cuStreamCreateWithPriority(&raw mut raw, flags.bits(), priority)) }
            .check()?;
        let inner = Arc::new(StreamInner::new(raw, self.context().clone(), flags));
        Ok(Stream { inner, _brand: Brand::new() })
    }
}

impl Stream<'_> {
    /// The context.
    #[must_use]
    #[inline]
    pub fn context(&self) -> &Context {
        &self.inner.context
    }

    /// The handle, for calls of [`ffi`]. It is valid while this value lives; do not destroy it.
    #[must_use]
    #[inline]
    pub fn raw(&self) -> CUstream {
        self.inner.raw
    }

    /// Whether everything in the stream is finished.
    ///
    /// # Errors
    /// A sticky error of earlier work (F60).
    #[doc(alias = "cuStreamQuery")]
    #[inline]
    pub fn query(&self) -> Result<bool> {
        // SAFETY: the stream is alive; needs no current context (F37).
        let answer = unsafe { answer!(cuStreamQuery(self.raw())) };
        if answer.code == ffi::CUDA_ERROR_NOT_READY {
            return Ok(false);
        }
        answer.check()?;
        Ok(true)
    }

    /// Waits until everything in the stream is finished.
    ///
    /// # Errors
    /// A sticky error of earlier work (F60).
    #[doc(alias = "cuStreamSynchronize")]
    #[inline]
    pub fn synchronize(&self) -> Result {
        // SAFETY: the stream is alive; needs no current context (F37).
        wait(unsafe { later!(cuStreamSynchronize(self.raw())) })
    }

    /// The flags.
    ///
    /// # Errors
    /// What the driver answers.
    #[doc(alias = "cuStreamGetFlags")]
    pub fn flags(&self) -> Result<StreamFlags> {
        let mut flags = 0;
        // SAFETY: the stream is alive; writes one `c_uint` to `flags`, which is valid for it.
        unsafe { answer!(cuStreamGetFlags(self.raw(), &raw mut flags)) }.check()?;
        Ok(StreamFlags::from_bits_retain(flags))
    }
}

impl Stream<'_> {
    /// A number that no other stream of the process has or had.
    ///
    /// # Errors
    /// What the driver answers.
    #[doc(alias = "cuStreamGetId")]
    pub fn id(&self) -> Result<u64> {
        let mut id = 0;
        // SAFETY: the stream is alive; writes one number to `id`, which is valid for it.
        unsafe { answer!(cuStreamGetId(self.raw(), &raw mut id)) }.check()?;
        Ok(id)
    }

    /// The device.
    #[must_use]
    #[doc(alias = "cuStreamGetDevice")]
    pub fn device(&self) -> Device {
        self.context().device()
    }

    /// The priority.
    ///
    /// # Errors
    /// What the driver answers.
    #[doc(alias = "cuStreamGetPriority")]
    pub fn priority(&self) -> Result<i32> {
        let mut priority = 0;
        // SAFETY: the stream is alive; writes one `c_int` to `priority`, which is valid for it.
        unsafe { answer!(cuStreamGetPriority(self.raw(), &raw mut priority)) }.check()?;
        Ok(priority)
    }
}

impl fmt::Debug for Stream<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stream({:p}, {:?})", self.raw(), self.context())
    }
}
