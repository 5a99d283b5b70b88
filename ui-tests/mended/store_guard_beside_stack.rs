//! The mend of `ui-tests/store_guard_beside_stack.rs`. Keep the stack outside, or store `Detached` handles and push
//! when they are needed.

use cuscope::{Context, ContextStack, PushedGuard, Result};

struct Gpu<'ctx> {
    guard: PushedGuard<'ctx>,
}

fn right<'ctx>(stack: &'ctx mut ContextStack, context: &'ctx Context) -> Result<Gpu<'ctx>> {
    let guard = stack.push(context)?;
    Ok(Gpu { guard })
}

fn main() {}
