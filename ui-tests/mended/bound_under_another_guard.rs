//! The mend of `ui-tests/bound_under_another_guard.rs`. Bind it again under the inner guard, which compares.

use cuscope::{Context, ContextStack, Detached, DeviceBuffer, Result, Stream};

fn right(
    stack: &mut ContextStack,
    a: &Context,
    b: &Context,
    stream: Detached<Stream<'static>>,
) -> Result {
    let mut outer = stack.push(a)?;
    let inner = outer.push(b)?;
    let bound = inner.bind(&stream)?;
    let mut buffer: DeviceBuffer<'_, u32> = inner.alloc(16)?;
    inner.on(bound).zero(&mut buffer)
}

fn main() {}
