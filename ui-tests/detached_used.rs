//! A detached handle may be of any context, so it is used only once a guard has compared it.
//!
//! **Why:** The driver would accept another context's (F34). It is a part of `detached-unusable`.
//!
//! **Mend:** Write `gpu.bind(&stream)?` or `gpu.attach(stream)?`. See `ui-tests/mended/detached_used.rs`.
//!
//! **Mistake** (E0308):

use cuscope::{Context, ContextStack, Detached, DeviceBuffer, Result, Stream};

fn misuse(
    stack: &mut ContextStack,
    context: &Context,
    stream: &Detached<Stream<'static>>,
) -> Result {
    let gpu = stack.push(context)?;
    let mut buffer: DeviceBuffer<'_, u32> = gpu.alloc(16)?;
    gpu.on(stream).zero(&mut buffer)
}

fn main() {}
