//! The driver calls the function of a hook on any thread, for as long as the hook is there, which may be leaked.
//!
//! **Why:** It borrows nothing. It is a part of `called-back`.
//!
//! **Mend:** Move what it needs into it, or share it by an `Arc`. See `ui-tests/mended/driver_log_hook_borrows.rs`.
//!
//! **Mistake** (E0597):

use cuscope::{Result, diagnostics::{DriverLogHook, on_driver_log}};
use std::sync::atomic::{AtomicUsize, Ordering};

fn misuse() -> Result<DriverLogHook> {
    let count = AtomicUsize::new(0);
    let seen = &count;
    on_driver_log(move |_, _| _ = seen.fetch_add(1, Ordering::Relaxed))
}

fn main() {}
