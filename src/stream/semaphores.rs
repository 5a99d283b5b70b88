//! Semaphores of other interfaces.
#![allow(unsafe_code, reason = "enqueues signals and waits")]

use super::SyncStream;
use crate::error::Result;
use crate::external::enqueue::{SIGNAL, WAIT, signal, wait};
use crate::external::{ExternalSemaphore, Signals, Waits};

/// # Semaphores of other interfaces
impl<'ctx> SyncStream<'_, 'ctx> {
    /// Signals [semaphores](ExternalSemaphore), each with a value, and waits until that is done.
    ///
    /// # Errors
    /// [`OtherContext`](crate::Error::OtherContext); a sticky error ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuSignalExternalSemaphoresAsync")]
    #[inline]
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
    #[inline]
    pub fn wait_semaphores(&self, waits: &[(&ExternalSemaphore<'ctx>, u64)]) -> Result {
        let waits = Waits::new(WAIT, self.context().key(), waits)?;
        // SAFETY: 1. The stream and the semaphores are borrowed until this has waited.
        self.complete(unsafe { wait(self.raw(), &waits) })
    }
}
