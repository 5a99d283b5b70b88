//! The driver calls of each operation: counted, failing in turn, and timed.

mod calls;
#[path = "../common/mod.rs"]
mod common;
mod costs;
mod exporter;
mod failures;
