//! Host functions in a stream of a scope.
#![allow(unsafe_code, reason = "hands functions to the driver")]

use super::ScopedStream;
use crate::error::Result;
use crate::stream::host_function::{CALL, enqueue};

impl ScopedStream<'_, '_> {
    /// Calls a function on a thread of the driver, after the work in the stream.
    ///
    /// If the function panics, the panic continues after the scope has waited. Do not call CUDA from the
    /// function; see [`SyncStream::host_function`](crate::SyncStream::host_function).
    ///
    /// # Errors
    /// [`OtherContext`](crate::Error::OtherContext) for the stream; a sticky error of earlier work
    /// ([F60](crate::driver_facts#F60)). The function is then dropped without being called. If a kernel of the scope faults
    /// later, the driver does not call it, and it is dropped when the scope ends.
    #[doc(alias = "cuLaunchHostFunc")]
    pub fn host_function(&self, function: impl FnOnce() + Send + 'static) -> Result {
        let stream = self.ready(CALL)?;
        // SAFETY: 1. The stream is borrowed for the scope.
        let call = unsafe { enqueue(stream, function) }?;
        self.keep_call(Box::new(call));
        Ok(())
    }
}
