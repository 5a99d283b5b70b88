//! The mend of `ui-tests/mix_nested.rs`. Pop the inner guard first, or create the stream under it.

use cuscope::{Context, ContextStack, DeviceBuffer, Result};

fn right(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
    let mut outer = stack.push(a)?;
    let inner = outer.push(b)?;
    let stream = inner.stream()?;
    let mut buffer: DeviceBuffer<'_, u32> = inner.alloc(16)?;
    inner.on(&stream).zero(&mut buffer)
}

fn main() {}
