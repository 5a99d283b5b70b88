//! Operations on the default streams of a context.
#![allow(unsafe_code, reason = "names the default streams")]

use crate::call::{answer, later, name};
use crate::context::wait::wait;
use crate::error::Result;
use crate::stack::PushedGuard;
use crate::stream::blocking::Blocking;
use crate::stream::legacy_lock::Operation;
use crate::stream::sync_stream::sealed::Enter;
use crate::stream::{SyncMode, SyncStream};
use ffi::{CU_STREAM_LEGACY, CU_STREAM_PER_THREAD, CUstream};
use std::fmt;

/// Operations on a default stream that wait until they are complete, from [`PushedGuard::on_legacy_default`]
/// and [`PushedGuard::on_per_thread_default`].
///
/// The driver chooses the stream by the thread's current context at each call. So each operation first compares
/// the current context (invariant [`right-context`](crate::soundness#right-context)) and returns
/// [`NotCurrent`](crate::Error::NotCurrent) if foreign code changed it. A default stream cannot be used in a
/// scope or a capture, and cannot allocate: these use their stream later, under whatever context is current
/// then.
pub type SyncDefaultStream<'g, 'ctx> = SyncStream<'g, 'ctx, DefaultStream<'g, 'ctx>>;

/// A default stream of the context that is current.
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations, reason = "`SyncDefaultStream` has one")]
pub struct DefaultStream<'g, 'ctx> {
    gpu: &'g PushedGuard<'ctx>,
    which: Which,
}

/// Not a handle, which means nothing without a thread and its current context.
#[derive(Clone, Copy)]
enum Which {
    Legacy,
    PerThread,
}

/// # Operations on the default streams
impl<'ctx> PushedGuard<'ctx> {
    /// Returns the operations on the legacy default stream of the context, the null stream of C. It
    /// synchronises with all streams of the context that are not
    /// [`NON_BLOCKING`](crate::StreamFlags::NON_BLOCKING).
    ///
    /// While this crate captures one of these streams, every operation is refused with
    /// `CUDA_ERROR_STREAM_CAPTURE_IMPLICIT` ([F143](crate::driver_facts#F143)). Such a capture waits for the
    /// operations that run: a driver that did both simultaneously crashed ([F221](crate::driver_facts#F221)).
    /// In a [`host_function`](SyncDefaultStream::host_function), do not wait for a thread that captures.
    #[must_use]
    #[doc(alias = "CU_STREAM_LEGACY")]
    pub fn on_legacy_default(&self) -> SyncDefaultStream<'_, 'ctx> {
        SyncStream::new(DefaultStream { gpu: self, which: Which::Legacy })
    }

    /// Returns the operations on this thread's own default stream of the context, which synchronises with the
    /// legacy one. A green context has no such stream: `CUDA_ERROR_INVALID_HANDLE`
    /// ([F133](crate::driver_facts#F133)).
    #[must_use]
    #[doc(alias = "CU_STREAM_PER_THREAD")]
    pub fn on_per_thread_default(&self) -> SyncDefaultStream<'_, 'ctx> {
        SyncStream::new(DefaultStream { gpu: self, which: Which::PerThread })
    }
}

/// A default stream for one operation.
struct Now<'g> {
    stream: Blocking<'g>,
    /// The legacy stream, kept apart from captures.
    _apart: Option<Operation>,
}

impl<'g> DefaultStream<'g, '_> {
    #[inline]
    fn raw(&self) -> CUstream {
        match self.which {
            Which::Legacy => CU_STREAM_LEGACY,
            Which::PerThread => CU_STREAM_PER_THREAD,
        }
    }

    /// Returns the stream, for one operation of this thread that runs no code of the program in between.
    #[inline]
    fn now(&self, call: &'static str) -> Result<Now<'g>> {
        self.gpu.enter(call)?;
        let apart = match self.which {
            Which::Legacy => Some(Operation::enter(self.gpu.context(), call)?),
            Which::PerThread => None,
        };
        // SAFETY: 1. A context's default streams live as long as it does, and `enter` found the guard's
        // to be current on this thread.
        let stream = unsafe { Blocking::new(self.raw(), self.gpu.context().key()) };
        Ok(Now { stream, _apart: apart })
    }
}

impl SyncMode for DefaultStream<'_, '_> {}

impl Enter for DefaultStream<'_, '_> {
    #[inline]
    fn enter<R>(
        &self,
        call: &'static str,
        work: impl FnOnce(&Blocking<'_>) -> Result<R>,
    ) -> Result<R> {
        let now = self.now(call)?;
        work(&now.stream)
    }
}

/// # Operations on a default stream
impl SyncDefaultStream<'_, '_> {
    /// Returns whether all work in the stream is complete.
    ///
    /// # Errors
    /// [`NotCurrent`](crate::Error::NotCurrent); a sticky error of earlier work
    /// ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuStreamQuery")]
    #[inline]
    pub fn query(&self) -> Result<bool> {
        let _now = self.on.now(name!(cuStreamQuery))?;
        // SAFETY: the stream is that of the current context.
        unsafe { answer!(cuStreamQuery(self.on.raw())) }.ready()
    }

    /// Waits until all work in the stream is complete.
    ///
    /// # Errors
    /// [`NotCurrent`](crate::Error::NotCurrent); a sticky error of earlier work
    /// ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuStreamSynchronize")]
    #[inline]
    pub fn synchronize(&self) -> Result {
        let _now = self.on.now(name!(cuStreamSynchronize))?;
        // SAFETY: the stream is that of the current context.
        wait(unsafe { later!(cuStreamSynchronize(self.on.raw())) })
    }
}

impl fmt::Debug for SyncDefaultStream<'_, '_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.on.which {
            Which::Legacy => "legacy",
            Which::PerThread => "per-thread",
        };
        write!(f, "SyncDefaultStream({name}, {:?})", self.on.gpu.context())
    }
}
