//! Tools to find faults: core dumps, the driver's log, and profiling.

mod core_dumps;
pub(crate) mod driver_log;
mod profiling;

pub use core_dumps::{CoreDumpFlags, CoreDumps};
pub use driver_log::{DriverLog, DriverLogHook, LogLevel, on_driver_log};
pub use profiling::Profiling;
