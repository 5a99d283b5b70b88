//! The mend of `ui-tests/covered_parent_idle_child.rs`. Drop the inner guard first.

use cuscope::{Context, ContextStack, Result};

fn right(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
    let mut outer = stack.push(a)?;
    let inner = outer.push(b)?;
    drop(inner);
    outer.synchronize()?;
    Ok(())
}

fn main() {}
