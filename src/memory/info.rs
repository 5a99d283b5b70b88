//! The amount of device memory.
#![allow(unsafe_code, reason = "calls the driver")]

use crate::call::{answer, name};
use crate::error::Result;
use crate::stack::PushedGuard;

/// The memory of a device, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryInfo {
    /// The memory that no process uses.
    pub free: usize,
    /// All memory.
    pub total: usize,
}

/// # Memory information
impl PushedGuard<'_> {
    /// Returns the free and total memory of the context's device.
    ///
    /// # Errors
    /// [`NotCurrent`](crate::Error::NotCurrent); a driver error.
    #[doc(alias = "cuMemGetInfo")]
    #[doc(alias = "cudaMemGetInfo")]
    #[doc(alias = "mem_get_info")]
    #[inline]
    pub fn memory_info(&self) -> Result<MemoryInfo> {
        self.enter(name!(cuMemGetInfo_v2))?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: writes one `usize` to each of `free` and `total`, which are valid for it; acts on
        // the current context, which `enter` found to be the guard's.
        unsafe { answer!(cuMemGetInfo_v2(&raw mut free, &raw mut total)) }.check()?;
        Ok(MemoryInfo { free, total })
    }
}
