//! The mend of `ui-tests/guard_cloned.rs`. Lend the guard: `&gpu` to work with it, `&mut gpu` to push on it.

use cuscope::{Context, ContextStack, Result};

fn right(stack: &mut ContextStack, context: &Context) -> Result {
    let gpu = stack.push(context)?;
    let again = &gpu;
    again.synchronize()?;
    gpu.pop()
}

fn main() {}
