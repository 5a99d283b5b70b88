//! The mend of `ui-tests/detached_used.rs`. Write `gpu.bind(&stream)?` or `gpu.attach(stream)?`.

use cuscope::{Context, ContextStack, Detached, DeviceBuffer, Result, Stream};

fn right(
    stack: &mut ContextStack,
    context: &Context,
    stream: &Detached<Stream<'static>>,
) -> Result {
    let gpu = stack.push(context)?;
    let mut buffer: DeviceBuffer<'_, u32> = gpu.alloc(16)?;
    gpu.on(gpu.bind(stream)?).zero(&mut buffer)
}

fn main() {}
