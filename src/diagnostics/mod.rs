//! Tools to find faults: core dumps, the driver's log, memory over its budget, and profiling.

mod core_dumps;
pub(crate) mod driver_log;
mod over_budget;
mod profiling;

pub use core_dumps::{CoreDumpFlags, CoreDumps};
pub use driver_log::{DriverLog, DriverLogHook, LogLevel, on_driver_log};
pub use over_budget::{OverBudgetHook, on_over_budget};
pub use profiling::Profiling;
