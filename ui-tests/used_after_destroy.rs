//! A context that was destroyed cannot be pushed: the driver would accept it, and work under it would fail or
//! corrupt the heap (F14). Destroy it last, or let the last clone do it.

use cuscope::{Context, ContextStack, Result};

fn misuse(stack: &mut ContextStack, context: Context) -> Result {
    context.try_destroy().expect("nothing else holds it")?;
    stack.push(&context)?.pop()
}

fn main() {}
