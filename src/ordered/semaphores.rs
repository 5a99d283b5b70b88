//! Semaphores of other interfaces.
#![allow(unsafe_code, reason = "enqueues signals and waits")]

use super::OrderedStream;
use crate::error::Result;
use crate::external::enqueue::{SIGNAL, WAIT, signal, wait};
use crate::external::{ExternalSemaphore, Signals, Waits};

/// # Semaphores of other interfaces
impl OrderedStream {
    /// Signals [semaphores](ExternalSemaphore), each with a value, behind the work in the stream.
    ///
    /// The drop of such a semaphore waits for the stream.
    ///
    /// # Errors
    /// [`OtherContext`](crate::Error::OtherContext); a sticky error ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuSignalExternalSemaphoresAsync")]
    #[inline]
    pub fn signal_semaphores(&self, signals: &[(&ExternalSemaphore<'_>, u64)]) -> Result {
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
    #[inline]
    pub fn wait_semaphores(&self, waits: &[(&ExternalSemaphore<'_>, u64)]) -> Result {
        let raw = Waits::new(WAIT, self.context().key(), waits)?;
        self.note(waits);
        // SAFETY: 1. As for signals.
        unsafe { wait(self.home.raw(), &raw) }
    }

    /// Has semaphores wait for this stream before they end.
    #[inline]
    fn note(&self, semaphores: &[(&ExternalSemaphore<'_>, u64)]) {
        semaphores.iter().for_each(|(one, _)| one.inner.in_flight().note(&self.home));
    }
}
