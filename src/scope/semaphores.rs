//! Semaphores of other interfaces.
#![allow(unsafe_code, reason = "enqueues signals and waits")]

use super::ScopedStream;
use crate::error::Result;
use crate::external::enqueue::{SIGNAL, WAIT, signal, wait};
use crate::external::{ExternalSemaphore, Signals, Waits};

/// # Semaphores of other interfaces
impl<'s, 'ctx> ScopedStream<'s, 'ctx> {
    /// Signals [semaphores](ExternalSemaphore), each with a value, behind the work in the stream.
    ///
    /// It orders no buffers: work of other streams of the scope is not behind it.
    ///
    /// # Errors
    /// [`OtherContext`](crate::Error::OtherContext); a sticky error ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuSignalExternalSemaphoresAsync")]
    #[inline]
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
    #[inline]
    pub fn wait_semaphores(&self, waits: &[(&'s ExternalSemaphore<'ctx>, u64)]) -> Result {
        // SAFETY: 1. The semaphores are borrowed until the scope has waited.
        unsafe { self.wait_kept(waits) }
    }

    /// [`signal_semaphores`](Self::signal_semaphores) with semaphores that something else keeps.
    ///
    /// # Safety
    /// 1. The semaphores are alive until the stream is past the signals, or, if it is captured, until the graph is gone.
    #[inline]
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
    #[inline]
    pub(crate) unsafe fn wait_kept(&self, waits: &[(&ExternalSemaphore<'ctx>, u64)]) -> Result {
        let waits = Waits::new(WAIT, self.context().key(), waits)?;
        let stream = self.ready(WAIT)?;
        // SAFETY: 1. The stream is alive, and the semaphores are (1).
        unsafe { wait(stream, &waits) }
    }
}
