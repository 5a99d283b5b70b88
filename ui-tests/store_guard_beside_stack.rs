//! A guard borrows what it was pushed on, so one struct cannot own both: if the stack were dropped
//! first, its entry would be popped below the guard (F88). Keep the stack outside, or store
//! `Detached` handles and push when they are needed.

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
