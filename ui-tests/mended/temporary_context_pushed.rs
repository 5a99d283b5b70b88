//! The mend of `ui-tests/temporary_context_pushed.rs`. Give it a name.

use cuscope::{Context, ContextStack, Device, Result};

fn right(stack: &mut ContextStack) -> Result {
    let context = Context::primary(Device::get(0)?)?;
    let gpu = stack.push(&context)?;
    gpu.synchronize()
}

fn main() {}
