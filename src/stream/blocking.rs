//! Operations on a stream of any kind that are complete when they return.
#![allow(unsafe_code, reason = "calls the driver")]

use crate::args::sealed::Operands;
use crate::call::{Answer, Later, answer, name, same_context};
use crate::context::Context;
use crate::context::wait::wait_for_memory;
use crate::error::{Error, Result, means_not_taken};
use crate::event::Event;
use crate::ops::Operation;
use crate::ops::enqueue::refused;
use crate::registry::LentHost;
use ffi::{CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, CUresult, CUstream};
use std::marker::PhantomData;
use std::time::Duration;

pub(crate) const RECORD: &str = name!(cuEventRecord);

/// A stream that is alive for `'a`, and the [key](Context::key) of its context.
#[derive(Clone, Copy)]
pub struct Blocking<'a> {
    raw: CUstream,
    key: usize,
    stream: PhantomData<&'a Context>,
}

impl<'a> Blocking<'a> {
    /// # Safety
    /// 1. The stream is alive for `'a`, and belongs to the context with this key. For a default stream, that context
    ///    is current on this thread until the last operation has returned.
    #[inline]
    pub(crate) unsafe fn new(raw: CUstream, key: usize) -> Self {
        Blocking { raw, key, stream: PhantomData }
    }

    #[inline]
    pub(crate) fn raw(&self) -> CUstream {
        self.raw
    }

    /// Enqueues an operation and waits for it, unless there is nothing to do.
    ///
    /// # Safety
    /// 1. All memory of the operation is alive, and borrowed as the operation uses it until this returns.
    #[inline]
    pub(crate) unsafe fn run(&self, operation: impl Operation) -> Result {
        self.check(&operation)?;
        if operation.is_empty() {
            return Ok(());
        }
        // SAFETY: 1. As above. 2. The stream is there; the rest is the caller's obligation 1, as the wait below is over
        // then.
        let enqueued = unsafe { operation.run(self.raw, || self.key) };
        if operation.is_one_call() || enqueued.is_ok() {
            return self.complete(enqueued, operation.host());
        }
        // The first error is the one to tell. What cannot be waited for ends the process.
        let _waited = self.finish(operation.host());
        enqueued
    }

    /// Checks that an operation is one of this stream.
    #[inline(always)]
    fn check(&self, operation: &impl Operation) -> Result {
        operation.check(operation.call())?;
        let key = self.key;
        let same = operation.others_are_of(key) && operation.uses().all_of(key);
        same_context(operation.call(), same)
    }

    /// Enqueues an operation without waiting for it.
    ///
    /// # Safety
    /// 1. All memory of the operation is alive, and until the stream was synchronized nothing else uses it.
    #[inline(always)]
    pub(crate) unsafe fn run_unscoped(&self, operation: &impl Operation) -> Result {
        self.check(operation)?;
        // SAFETY: 1. As above. 2. The stream is there; the rest is the caller's obligation 1.
        unsafe { operation.run(self.raw, || self.key) }
    }

    #[inline]
    pub(crate) fn record(&self, event: &Event<'_>) -> Result {
        // SAFETY: event and stream are there; the driver refuses an event of another context (F36).
        match unsafe { answer!(cuEventRecord(event.raw(), self.raw)) } {
            Answer { code: ffi::CUDA_SUCCESS, .. } => Ok(()),
            Answer { call, code } => record_refused(call, code, event, self.key),
        }
    }

    #[inline]
    pub(crate) fn wait(&self, event: &Event<'_>) -> Result {
        // SAFETY: event and stream are there.
        unsafe { answer!(cuStreamWaitEvent(self.raw, event.raw(), 0)) }.result()
    }

    /// Waits until the stream no longer uses the memory of an operation. `enqueued` is the result of the call that
    /// enqueued it, and `host` is the host memory among its memory.
    ///
    /// # Errors
    /// The error of the call, else of the wait.
    #[inline]
    pub(crate) fn complete(&self, enqueued: Result, host: LentHost) -> Result {
        match enqueued {
            Ok(()) => self.finish(host),
            Err(error) => self.not_complete(error, host),
        }
    }

    /// Waits even so, unless the error proves that nothing was enqueued.
    #[cold]
    #[inline]
    fn not_complete(&self, error: Error, host: LentHost) -> Result {
        if error.code().is_some_and(|code| !means_not_taken(code)) {
            // A call that enqueues is never the first to report a fault (F108), and behind the report nothing is
            // taken (F60).
            let taken = if error.is_sticky() { LentHost::NONE } else { host };
            // The first error is the one to tell. What cannot be waited for ends the process.
            let _waited = self.finish(taken);
        }
        Err(error)
    }

    /// Waits until the stream no longer uses any memory.
    ///
    /// While a blocking stream of its context is under capture, the driver refuses to wait for the legacy
    /// stream ([F143](crate::driver_facts#F143)). Another thread began that capture after the work was
    /// enqueued, and will end it.
    #[inline]
    fn finish(&self, host: LentHost) -> Result {
        let raw = self.raw;
        let make = move || {
            // SAFETY: the stream is there (F37).
            match unsafe { ffi::cuStreamSynchronize(raw) } {
                ffi::CUDA_SUCCESS => ffi::CUDA_SUCCESS,
                // SAFETY: as above.
                code => unsafe { not_yet(raw, code) },
            }
        };
        wait_for_memory(Later { call: name!(cuStreamSynchronize), make }, self.key, host)
    }
}

/// Waits again for as long as the driver refuses because of such a capture.
///
/// # Safety
/// 1. The stream is alive.
#[cold]
#[inline]
unsafe fn not_yet(raw: CUstream, mut code: CUresult) -> CUresult {
    while code == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT {
        std::thread::sleep(Duration::from_micros(100));
        // SAFETY: the caller's obligation 1.
        code = unsafe { ffi::cuStreamSynchronize(raw) };
    }
    code
}

/// Returns the error of a record of an event in a stream of the context with this key.
#[cold]
#[inline]
pub(crate) fn record_refused(
    call: &'static str,
    code: CUresult,
    event: &Event<'_>,
    key: usize,
) -> Result {
    refused(Answer::new(call, code), event.context().key() == key)
}
