//! Operations on a stream hold the guard that they come from: it cannot be popped under them, as they
//! would run for a context that is no longer pushed. Take them again: `gpu.on(&stream)` costs nothing.

use cuscope::{Context, ContextStack, DeviceBuffer, Result};

fn misuse(stack: &mut ContextStack, context: &Context) -> Result {
    let gpu = stack.push(context)?;
    let stream = gpu.stream()?;
    let mut buffer: DeviceBuffer<'_, u32> = gpu.alloc(16)?;
    let run = gpu.on(&stream);
    gpu.pop()?;
    run.zero(&mut buffer)
}

fn main() {}
