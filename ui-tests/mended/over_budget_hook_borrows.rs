//! The mend of `ui-tests/over_budget_hook_borrows.rs`. Move what it needs into it, or share it by an `Arc`.

use cuscope::{Device, Result, diagnostics::{OverBudgetHook, on_over_budget}};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

fn right(device: Device) -> Result<OverBudgetHook> {
    let count = Arc::new(AtomicU64::new(0));
    let seen = Arc::clone(&count);
    on_over_budget(device, move |bytes| _ = seen.fetch_add(bytes, Ordering::Relaxed))
}

fn main() {}
