//! How much memory there is.
#![allow(unsafe_code, reason = "calls the driver")]

use crate::call::{answer, name};
use crate::error::Result;
use crate::stack::PushedGuard;

/// Memory of a device, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryInfo {
    /// Not in use by any process.
    pub free: usize,
    /// All of it.
    pub total: usize,
}

impl PushedGuard<'_> {
    /// Memory of the context's device, in bytes.
    ///
    /// # Errors
    /// [`NotCurrent`](crate::Error::NotCurrent); what the driver answers.
    #[doc(alias = "cuMemGetInfo")]
    pub fn memory_info(&self) -> Result<MemoryInfo> {
        self.enter(name!(cuMemGetInfo_v2))?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: writes one `usize` to each of `free` and `total`, which are valid for it; acts on
        // the current context, which `enter` found to be the guard's.
        unsafe { answer!(cuMemGetInfo_v2(&raw mut free, &raw mut total)) }.check()?;
        Ok(MemoryInfo { free, total })
    }
}
