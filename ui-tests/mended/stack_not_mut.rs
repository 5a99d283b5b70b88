//! The mend of `ui-tests/stack_not_mut.rs`. Write `let mut stack`.

use cuscope::{Context, ContextStack, Result};

fn right(context: &Context) -> Result {
    let mut stack = ContextStack::current_thread()?;
    let gpu = stack.push(context)?;
    gpu.pop()
}

fn main() {}
