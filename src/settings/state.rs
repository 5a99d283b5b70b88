//! Settings of the context that have no file of their own.
#![allow(unsafe_code, reason = "calls the driver")]

use crate::call::{answer, name};
use crate::context::ContextFlags;
use crate::context::current::get_flags;
use crate::error::Result;
use crate::stack::PushedGuard;
use std::ops::RangeInclusive;

/// The priorities that streams of a context can have. A *greater* priority is a smaller number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StreamPriorityRange {
    /// The lowest priority, such as 0. Streams have it unless you ask for another.
    pub least: i32,
    /// The greatest priority, such as -5.
    pub greatest: i32,
}

impl StreamPriorityRange {
    /// Returns the numbers, from the greatest priority to the lowest.
    #[must_use]
    pub fn numbers(self) -> RangeInclusive<i32> {
        self.greatest..=self.least
    }
}

/// # Flags and stream priorities
impl PushedGuard<'_> {
    /// Returns the context's flags.
    ///
    /// # Errors
    /// [`NotCurrent`](crate::Error::NotCurrent); a driver error.
    #[doc(alias = "cuCtxGetFlags")]
    #[inline]
    pub fn flags(&self) -> Result<ContextFlags> {
        self.enter(name!(cuCtxGetFlags))?;
        get_flags()
    }

    /// Replaces the context's flags. The new flags apply on every thread.
    ///
    /// The flags for mapped host memory and core dumps keep the values from the context's creation
    /// ([F118](crate::driver_facts#F118)).
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::Error::InvalidArgument) for flags that contradict each other;
    /// [`NotCurrent`](crate::Error::NotCurrent); [`NeedsDriver`](crate::Error::NeedsDriver) before CUDA 12.1; a
    /// driver error.
    #[doc(alias = "cuCtxSetFlags")]
    #[inline]
    pub fn set_flags(&self, flags: ContextFlags) -> Result {
        const CALL: &str = name!(cuCtxSetFlags);
        let flags = flags.checked(CALL)?;
        let set = ffi::cuCtxSetFlags()?;
        self.enter(CALL)?;
        // SAFETY: acts on the current context, which `enter` found to be the guard's; the driver
        // checks the flags.
        unsafe { answer!(cuCtxSetFlags = set(flags)) }.result()
    }

    /// Returns the priorities that streams of the context can have.
    ///
    /// # Errors
    /// [`NotCurrent`](crate::Error::NotCurrent); a driver error.
    #[doc(alias = "cuCtxGetStreamPriorityRange")]
    #[inline]
    pub fn stream_priority_range(&self) -> Result<StreamPriorityRange> {
        self.enter(name!(cuCtxGetStreamPriorityRange))?;
        let (mut least, mut greatest) = (0, 0);
        // SAFETY: writes one `c_int` to each of `least` and `greatest`, which are valid for it; acts on
        // the current context, which `enter` found to be the guard's.
        unsafe { answer!(cuCtxGetStreamPriorityRange(&raw mut least, &raw mut greatest)) }
            .check()?;
        Ok(StreamPriorityRange { least, greatest })
    }
}
