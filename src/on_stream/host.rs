//! Functions of the host behind what a stream holds.
#![allow(unsafe_code, reason = "hands functions to the driver")]

use super::OnStream;
use crate::error::Result;
use crate::host_function::call;

impl OnStream<'_, '_> {
    /// Calls a function on a thread of the driver, behind what the stream holds, and waits for it. A
    /// panic of it goes on in the caller.
    ///
    /// The function must make no calls of the driver: it is refused there nearly everything (F23), so that
    /// what it drops of a device stays until its context ends.
    ///
    /// # Errors
    /// A sticky error of earlier work (F60): the function is then dropped and was not called.
    ///
    /// # Panics
    /// If the function does.
    #[doc(alias = "cuLaunchHostFunc")]
    pub fn host_function(&self, function: impl FnOnce() + Send + 'static) -> Result {
        // SAFETY: 1. The stream is borrowed.
        unsafe { call(self.raw(), function, || self.complete(Ok(()))) }
    }
}
