//! What a guard tells of its context, and sets of it, that has no file of its own.
#![allow(unsafe_code, reason = "calls the driver")]

use super::current::get_flags;
use crate::call::{answer, name};
use crate::context::ContextFlags;
use crate::error::Result;
use crate::stack::PushedGuard;
use std::ops::RangeInclusive;

/// The priorities that streams of a context can have. The *greater* priority is the smaller number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StreamPriorityRange {
    /// The least priority, such as 0: what streams have that ask for none.
    pub least: i32,
    /// The greatest priority, such as -5.
    pub greatest: i32,
}

impl StreamPriorityRange {
    /// The numbers, from the greatest priority to the least.
    #[must_use]
    pub fn numbers(self) -> RangeInclusive<i32> {
        self.greatest..=self.least
    }
}

impl PushedGuard<'_> {
    /// The context's flags.
    ///
    /// # Errors
    /// [`NotCurrent`](crate::Error::NotCurrent); what the driver answers.
    #[doc(alias = "cuCtxGetFlags")]
    pub fn flags(&self) -> Result<ContextFlags> {
        self.enter(name!(cuCtxGetFlags))?;
        get_flags()
    }

    /// Replaces the context's flags, but for mapped host memory and core dumps, which stay as they were at
    /// its creation (F118). They hold on every thread.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::Error::InvalidArgument) for flags that contradict each other;
    /// [`NotCurrent`](crate::Error::NotCurrent); [`NeedsDriver`](crate::Error::NeedsDriver) before
    /// CUDA 12.1; what the driver answers.
    #[doc(alias = "cuCtxSetFlags")]
    pub fn set_flags(&self, flags: ContextFlags) -> Result {
        const CALL: &str = name!(cuCtxSetFlags);
        let flags = flags.checked(CALL)?;
        let set = ffi::cuCtxSetFlags()?;
        self.enter(CALL)?;
        // SAFETY: acts on the current context, which `enter` found to be the guard's; the driver
        // checks the flags.
        unsafe { answer!(cuCtxSetFlags = set(flags)) }.result()
    }

    /// The priorities that streams of the context can have.
    ///
    /// # Errors
    /// [`NotCurrent`](crate::Error::NotCurrent); what the driver answers.
    #[doc(alias = "cuCtxGetStreamPriorityRange")]
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
