//! The mend of `ui-tests/used_after_destroy.rs`. Destroy it last, or let the last clone do it.

use cuscope::{Context, ContextStack, Result};

fn right(stack: &mut ContextStack, context: Context) -> Result {
    stack.push(&context)?.pop()?;
    context.try_destroy().expect("nothing else holds it")
}

fn main() {}
