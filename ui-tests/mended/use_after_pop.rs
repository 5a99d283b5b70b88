//! The mend of `ui-tests/use_after_pop.rs`. Push again, or pop later.

use cuscope::{Context, ContextStack, Result};

fn right(stack: &mut ContextStack, context: &Context) -> Result {
    let gpu = stack.push(context)?;
    gpu.synchronize()?;
    gpu.pop()
}

fn main() {}
