//! The mend of `ui-tests/push_under_operations.rs`. Take them again when the inner guard is gone:
//! `outer.on(&stream)` costs nothing.

use cuscope::{Context, ContextStack, DeviceBuffer, Result};

fn right(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
    let mut outer = stack.push(a)?;
    let stream = outer.stream()?;
    let mut buffer: DeviceBuffer<'_, u32> = outer.alloc(16)?;
    let run = outer.on(&stream);
    run.zero(&mut buffer)?;
    let inner = outer.push(b)?;
    inner.pop()
}

fn main() {}
