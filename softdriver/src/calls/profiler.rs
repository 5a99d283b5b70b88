//! Profiling of a part of a program: there is no profiler.
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::model::stack;

driver! {
    /// Has a profiler record (F320).
    fn cuProfilerStart() [needs_current, no_capture_in_context] {
        stack::current_life().map(drop)
    }
    /// Has it record no more.
    fn cuProfilerStop() [needs_current, no_capture_in_context] {
        stack::current_life().map(drop)
    }
}
