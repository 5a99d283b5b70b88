//! Functions of the host behind what a queue holds.
#![allow(unsafe_code, reason = "hands functions to the driver")]

use super::Queue;
use crate::error::Result;
use crate::stream::host_function::{CALL, enqueue};

impl Queue<'_, '_> {
    /// Calls a function on a thread of the driver, behind what the queue holds. A panic of it goes on
    /// when the scope has waited.
    ///
    /// The function must make no calls of the driver: as in [`OnStream::host_function`](crate::OnStream::host_function).
    ///
    /// # Errors
    /// [`OtherContext`](crate::Error::OtherContext) for the queue; a sticky error of earlier work (F60):
    /// the function is then dropped and was not called.
    #[doc(alias = "cuLaunchHostFunc")]
    pub fn host_function(&self, function: impl FnOnce() + Send + 'static) -> Result {
        let stream = self.ready(CALL)?;
        // SAFETY: 1. The stream is borrowed for the scope.
        let call = unsafe { enqueue(stream, function) }?;
        self.keep_call(Box::new(call));
        Ok(())
    }
}
