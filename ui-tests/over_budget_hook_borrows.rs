//! The driver calls the function on its own threads, for as long as the hook is there, which may be leaked.
//!
//! **Why:** It borrows nothing. It is a part of `called-back`.
//!
//! **Mend:** Move what it needs into it, or share it by an `Arc`. See `ui-tests/mended/over_budget_hook_borrows.rs`.
//!
//! **Mistake** (E0597):

use cuscope::{Device, Result, diagnostics::{OverBudgetHook, on_over_budget}};
use std::sync::atomic::{AtomicU64, Ordering};

fn misuse(device: Device) -> Result<OverBudgetHook> {
    let count = AtomicU64::new(0);
    let seen = &count;
    on_over_budget(device, move |bytes| _ = seen.fetch_add(bytes, Ordering::Relaxed))
}

fn main() {}
