//! A guard stands for one entry of the stack and has no clone, which would pop a second one (F88).
//! Lend the guard: `&gpu` to work with it, `&mut gpu` to push on it.

use cuscope::{Context, ContextStack, Result};

fn misuse(stack: &mut ContextStack, context: &Context) -> Result {
    let gpu = stack.push(context)?;
    let again = gpu.clone();
    gpu.pop()?;
    again.synchronize()
}

fn main() {}
