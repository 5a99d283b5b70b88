//! The mend of `ui-tests/pop_under_operations.rs`. Take them again: `gpu.on(&stream)` costs nothing.

use cuscope::{Context, ContextStack, DeviceBuffer, Result};

fn right(stack: &mut ContextStack, context: &Context) -> Result {
    let gpu = stack.push(context)?;
    let stream = gpu.stream()?;
    let mut buffer: DeviceBuffer<'_, u32> = gpu.alloc(16)?;
    let run = gpu.on(&stream);
    run.zero(&mut buffer)?;
    gpu.pop()
}

fn main() {}
