//! Functions of the host behind what a queue holds.
#![allow(unsafe_code, reason = "hands functions to the driver")]

use super::Queue;
use crate::error::Result;
use crate::stream::host_function::{CALL, enqueue};

impl Queue<'_, '_> {
    /// Calls a function on a thread of the driver, after the work in the queue.
    ///
    /// If the function panics, the panic continues after the scope has waited. Do not call CUDA from the
    /// function; see [`OnStream::host_function`](crate::OnStream::host_function).
    ///
    /// # Errors
    /// [`OtherContext`](crate::Error::OtherContext) for the queue; a sticky error of earlier work (F60). The
    /// function is then dropped without being called.
    #[doc(alias = "cuLaunchHostFunc")]
    pub fn host_function(&self, function: impl FnOnce() + Send + 'static) -> Result {
        let stream = self.ready(CALL)?;
        // SAFETY: 1. The stream is borrowed for the scope.
        let call = unsafe { enqueue(stream, function) }?;
        self.keep_call(Box::new(call));
        Ok(())
    }
}
