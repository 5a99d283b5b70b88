//! A guard borrows what it was pushed on, so one struct cannot own both.
//!
//! **Why:** If the stack were dropped first, its entry would be popped below the guard (F88). It is a part of
//! `pops-in-order`.
//!
//! **Mend:** Keep the stack outside, or store `Detached` handles and push when they are needed. See
//! `ui-tests/mended/store_guard_beside_stack.rs`.
//!
//! **Mistake** (E0505, E0515):

use cuscope::{Context, ContextStack, PushedGuard, Result};

struct Gpu<'ctx> {
    guard: PushedGuard<'ctx>,
    stack: ContextStack,
}

fn misuse<'ctx>(context: &'ctx Context) -> Result<Gpu<'ctx>> {
    let mut stack = ContextStack::current_thread()?;
    let guard = stack.push(context)?;
    Ok(Gpu { guard, stack })
}

fn main() {}
