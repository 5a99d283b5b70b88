//! A context that nothing holds cannot be pushed: it would end with the line.

use cuscope::{Context, ContextStack, Device, Result};

fn misuse(stack: &mut ContextStack) -> Result {
    let gpu = stack.push(&Context::primary(Device::get(0)?)?)?;
    gpu.synchronize()
}

fn main() {}
