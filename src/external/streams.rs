//! Signals and waits in streams.
#![allow(unsafe_code, reason = "calls the driver")]

use super::{ExternalSemaphore, Signals, Waits};
use crate::call::{answer, name};
use crate::error::Result;
use crate::ordered::OrderedStream;
use crate::scope::ScopedStream;
use crate::stream::SyncStream;
use ffi::CUstream;

pub(crate) const SIGNAL: &str = name!(cuSignalExternalSemaphoresAsync);
pub(crate) const WAIT: &str = name!(cuWaitExternalSemaphoresAsync);

/// Enqueues signals.
///
/// # Safety
/// 1. The stream is alive, and so are the semaphores until it is past the signals.
unsafe fn signal(stream: CUstream, signals: &Signals) -> Result {
    let (semaphores, params, count) = signals.raw();
    if signals.is_empty() {
        return Ok(());
    }
    // SAFETY: as many parameters as semaphores, which are copied. All are alive (1).
    unsafe { answer!(cuSignalExternalSemaphoresAsync(semaphores, params, count, stream)) }.result()
}

/// Enqueues waits.
///
/// # Safety
/// 1. The stream is alive, and so are the semaphores until it is past the waits.
unsafe fn wait(stream: CUstream, waits: &Waits) -> Result {
    let (semaphores, params, count) = waits.raw();
    if waits.is_empty() {
        return Ok(());
    }
    // SAFETY: as many parameters as semaphores, which are copied. All are alive (1).
    unsafe { answer!(cuWaitExternalSemaphoresAsync(semaphores, params, count, stream)) }.result()
}

/// # Semaphores of other interfaces
impl<'ctx> SyncStream<'_, 'ctx> {
    /// Signals [semaphores](ExternalSemaphore), each with a value, and waits until that is done.
    ///
    /// # Errors
    /// [`OtherContext`](crate::Error::OtherContext); a sticky error ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuSignalExternalSemaphoresAsync")]
    pub fn signal_semaphores(&self, signals: &[(&ExternalSemaphore<'ctx>, u64)]) -> Result {
        let signals = Signals::new(SIGNAL, self.context().key(), signals)?;
        // SAFETY: 1. The stream and the semaphores are borrowed until this has waited.
        self.complete(unsafe { signal(self.raw(), &signals) })
    }

    /// Waits for [semaphores](ExternalSemaphore), each for a value. Returns when all are signalled: if nobody signals one,
    /// never.
    ///
    /// # Errors
    /// The errors of [`signal_semaphores`](Self::signal_semaphores).
    #[doc(alias = "cuWaitExternalSemaphoresAsync")]
    pub fn wait_semaphores(&self, waits: &[(&ExternalSemaphore<'ctx>, u64)]) -> Result {
        let waits = Waits::new(WAIT, self.context().key(), waits)?;
        // SAFETY: 1. The stream and the semaphores are borrowed until this has waited.
        self.complete(unsafe { wait(self.raw(), &waits) })
    }
}

/// # Semaphores of other interfaces
impl<'s, 'ctx> ScopedStream<'s, 'ctx> {
    /// Signals [semaphores](ExternalSemaphore), each with a value, behind the work in the stream.
    ///
    /// It orders no buffers: work of other streams of the scope is not behind it.
    ///
    /// # Errors
    /// [`OtherContext`](crate::Error::OtherContext); a sticky error ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuSignalExternalSemaphoresAsync")]
    pub fn signal_semaphores(&self, signals: &[(&'s ExternalSemaphore<'ctx>, u64)]) -> Result {
        // SAFETY: 1. The semaphores are borrowed until the scope has waited.
        unsafe { self.signal_kept(signals) }
    }

    /// Makes later work in the stream wait for [semaphores](ExternalSemaphore), each for a value.
    ///
    /// It orders no buffers: work of other streams of the scope does not wait. A wait that nobody ends holds the scope for
    /// ever.
    ///
    /// # Errors
    /// The errors of [`signal_semaphores`](Self::signal_semaphores).
    #[doc(alias = "cuWaitExternalSemaphoresAsync")]
    pub fn wait_semaphores(&self, waits: &[(&'s ExternalSemaphore<'ctx>, u64)]) -> Result {
        // SAFETY: 1. The semaphores are borrowed until the scope has waited.
        unsafe { self.wait_kept(waits) }
    }

    /// [`signal_semaphores`](Self::signal_semaphores) with semaphores that something else keeps.
    ///
    /// # Safety
    /// 1. The semaphores are alive until the stream is past the signals, or, if it is captured, until the graph is gone.
    pub(crate) unsafe fn signal_kept(&self, signals: &[(&ExternalSemaphore<'ctx>, u64)]) -> Result {
        let signals = Signals::new(SIGNAL, self.context().key(), signals)?;
        let stream = self.ready(SIGNAL)?;
        // SAFETY: 1. The stream is alive, and the semaphores are (1).
        unsafe { signal(stream, &signals) }
    }

    /// [`wait_semaphores`](Self::wait_semaphores) with semaphores that something else keeps.
    ///
    /// # Safety
    /// 1. of [`signal_kept`](Self::signal_kept).
    pub(crate) unsafe fn wait_kept(&self, waits: &[(&ExternalSemaphore<'ctx>, u64)]) -> Result {
        let waits = Waits::new(WAIT, self.context().key(), waits)?;
        let stream = self.ready(WAIT)?;
        // SAFETY: 1. The stream is alive, and the semaphores are (1).
        unsafe { wait(stream, &waits) }
    }
}

/// # Semaphores of other interfaces
impl<'ctx> OrderedStream<'ctx> {
    /// Signals [semaphores](ExternalSemaphore), each with a value, behind the work in the stream.
    ///
    /// The drop of such a semaphore waits for the stream.
    ///
    /// # Errors
    /// [`OtherContext`](crate::Error::OtherContext); a sticky error ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuSignalExternalSemaphoresAsync")]
    pub fn signal_semaphores(&self, signals: &[(&ExternalSemaphore<'ctx>, u64)]) -> Result {
        let raw = Signals::new(SIGNAL, self.context().key(), signals)?;
        self.note(signals);
        // SAFETY: 1. The memory and the semaphores own the stream, and the semaphores wait for it when they are dropped.
        unsafe { signal(self.home.raw(), &raw) }
    }

    /// Makes later work in the stream wait for [semaphores](ExternalSemaphore), each for a value.
    ///
    /// The drop of such a semaphore waits for the stream, as everything does that waits for it. If nobody signals a
    /// semaphore, they block for ever.
    ///
    /// # Errors
    /// The errors of [`signal_semaphores`](Self::signal_semaphores).
    #[doc(alias = "cuWaitExternalSemaphoresAsync")]
    pub fn wait_semaphores(&self, waits: &[(&ExternalSemaphore<'ctx>, u64)]) -> Result {
        let raw = Waits::new(WAIT, self.context().key(), waits)?;
        self.note(waits);
        // SAFETY: 1. As for signals.
        unsafe { wait(self.home.raw(), &raw) }
    }

    /// Has semaphores wait for this stream before they end.
    fn note(&self, semaphores: &[(&ExternalSemaphore<'ctx>, u64)]) {
        semaphores.iter().for_each(|(one, _)| one.inner.in_flight().note(&self.home));
    }
}
