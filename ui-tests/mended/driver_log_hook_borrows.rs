//! The mend of `ui-tests/driver_log_hook_borrows.rs`. Move what it needs into it, or share it by an `Arc`.

use cuscope::{Result, diagnostics::{DriverLogHook, on_driver_log}};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn right() -> Result<DriverLogHook> {
    let count = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&count);
    on_driver_log(move |_, _| _ = seen.fetch_add(1, Ordering::Relaxed))
}

fn main() {}
