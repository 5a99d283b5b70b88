//! Operations on a stream hold the guard that they come from: it cannot be covered under them.
//! Take them again when the inner guard is gone: `outer.on(&stream)` costs nothing.

use cuscope::{Context, ContextStack, DeviceBuffer, Result};

fn misuse(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
    let mut outer = stack.push(a)?;
    let stream = outer.stream()?;
    let mut buffer: DeviceBuffer<'_, u32> = outer.alloc(16)?;
    let run = outer.on(&stream);
    let inner = outer.push(b)?;
    run.zero(&mut buffer)?;
    inner.pop()
}

fn main() {}
