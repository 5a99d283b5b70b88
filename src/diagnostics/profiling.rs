//! Profiling of a part of a program.
#![allow(unsafe_code, reason = "calls the driver")]

use crate::call::{later, name};
use crate::driver::capture_mode::{relaxed, release_relaxed};
use crate::driver::release::report_drop;
use crate::error::Result;
use crate::stack::PushedGuard;
use std::mem::ManuallyDrop;

const STOP: &str = name!(cuProfilerStop);

/// What a profiler that was told to wait (`nsys profile --capture-range=cudaProfilerApi`) records, until this is
/// dropped: [`PushedGuard::profiling`]. Without such a profiler nothing happens.
#[derive(Debug)]
#[must_use = "a profiler records until this is dropped"]
pub struct Profiling<'g, 'ctx> {
    gpu: &'g PushedGuard<'ctx>,
}

impl<'ctx> PushedGuard<'ctx> {
    /// Has a profiler record, until what this returns is dropped. Nothing is counted: with two at a time, the end of
    /// the first ends it.
    ///
    /// # Errors
    /// [`NotCurrent`](crate::Error::NotCurrent); a sticky error (F60).
    #[doc(alias = "cuProfilerStart")]
    pub fn profiling(&self) -> Result<Profiling<'_, 'ctx>> {
        self.enter(name!(cuProfilerStart))?;
        // SAFETY: takes nothing; acts on the current context, which `enter` found to be the guard's. A
        // capture would refuse it, and be spoiled (F320).
        relaxed(unsafe { later!(cuProfilerStart()) }).check()?;
        Ok(Profiling { gpu: self })
    }
}

impl Profiling<'_, '_> {
    /// Has the profiler record no more, and tells whether that worked.
    ///
    /// # Errors
    /// As [`PushedGuard::profiling`].
    #[doc(alias = "cuProfilerStop")]
    pub fn stop(self) -> Result {
        let this = ManuallyDrop::new(self);
        this.gpu.enter(STOP)?;
        // SAFETY: as in `profiling`.
        relaxed(unsafe { later!(cuProfilerStop()) }).result()
    }
}

impl Drop for Profiling<'_, '_> {
    fn drop(&mut self) {
        match self.gpu.enter(STOP) {
            // SAFETY: as in `profiling`.
            Ok(()) => release_relaxed(unsafe { later!(cuProfilerStop()) }),
            Err(error) => report_drop(error),
        }
    }
}
