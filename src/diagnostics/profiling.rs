//! Profiling of parts of a program.
#![allow(unsafe_code, reason = "calls the driver")]

use crate::call::{later, name};
use crate::driver::capture_mode::{relaxed, release_here};
use crate::driver::fork;
use crate::driver::release::report_drop;
use crate::error::Result;
use crate::stack::PushedGuard;
use std::mem::ManuallyDrop;

const STOP: &str = name!(cuProfilerStop);

/// A guard for profiler collection, from [`PushedGuard::profiling`]. Dropping it stops the collection.
///
/// It controls a profiler that waits for such a start (`nsys profile --capture-range=cudaProfilerApi`). Without
/// one it has no effect.
#[derive(Debug)]
#[must_use = "a profiler records until this is dropped"]
pub struct Profiling<'g, 'ctx> {
    gpu: &'g PushedGuard<'ctx>,
}

/// # Profiling
impl<'ctx> PushedGuard<'ctx> {
    /// Starts profiler collection until the returned guard is dropped.
    ///
    /// Guards are not reference-counted: if you have two, dropping the first stops the collection.
    ///
    /// # Errors
    /// [`NotCurrent`](crate::Error::NotCurrent); a sticky error ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuProfilerStart")]
    #[doc(alias = "cudaProfilerStart")]
    #[doc(alias = "cudaProfilerStop")]
    #[inline]
    pub fn profiling(&self) -> Result<Profiling<'_, 'ctx>> {
        self.enter(name!(cuProfilerStart))?;
        // SAFETY: takes nothing; acts on the current context, which `enter` found to be the guard's. A
        // capture would refuse it, and be spoiled (F320).
        relaxed(unsafe { later!(cuProfilerStart()) }).check()?;
        Ok(Profiling { gpu: self })
    }
}

impl Profiling<'_, '_> {
    /// Stops profiler collection and returns the result.
    ///
    /// # Errors
    /// The errors of [`PushedGuard::profiling`].
    #[doc(alias = "cuProfilerStop")]
    #[inline]
    pub fn stop(self) -> Result {
        let this = ManuallyDrop::new(self);
        this.gpu.enter(STOP)?;
        // SAFETY: as in `profiling`.
        relaxed(unsafe { later!(cuProfilerStop()) }).result()
    }
}

impl Drop for Profiling<'_, '_> {
    #[inline]
    fn drop(&mut self) {
        if fork::is_child() {
            return; // the parent's profile goes on
        }
        match self.gpu.enter(STOP) {
            // SAFETY: as in `profiling`.
            Ok(()) => release_here(unsafe { later!(cuProfilerStop()) }),
            Err(error) => report_drop(error),
        }
    }
}
