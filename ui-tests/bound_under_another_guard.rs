//! A handle that one guard has bound is not used under another one, which may be of another context
//! (F34). Bind it again under the inner guard, which compares.

use cuscope::{Context, ContextStack, Detached, DeviceBuffer, Result, Stream};

fn misuse(
    stack: &mut ContextStack,
    a: &Context,
    b: &Context,
    stream: Detached<Stream<'static>>,
) -> Result {
    let mut outer = stack.push(a)?;
    let bound = outer.bind(&stream)?;
    let inner = outer.push(b)?;
    let mut buffer: DeviceBuffer<'_, u32> = inner.alloc(16)?;
    inner.on(bound).zero(&mut buffer)
}

fn main() {}
