//! The mend of `ui-tests/context_is_not_a_stack.rs`. Push it on the thread's stack or on a guard: `stack.push(a)`.

use cuscope::{Context, ContextStack, Result};

fn right(a: &mut ContextStack, b: &Context) -> Result {
    let gpu = a.push(b)?;
    gpu.pop()
}

fn main() {}
