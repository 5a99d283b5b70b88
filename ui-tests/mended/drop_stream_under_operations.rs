//! The mend of `ui-tests/drop_stream_under_operations.rs`. Drop the stream after its last operation.

use cuscope::{Context, ContextStack, DeviceBuffer, Result};

fn right(stack: &mut ContextStack, context: &Context) -> Result {
    let gpu = stack.push(context)?;
    let stream = gpu.stream()?;
    let mut buffer: DeviceBuffer<'_, u32> = gpu.alloc(16)?;
    let run = gpu.on(&stream);
    run.zero(&mut buffer)?;
    drop(stream);
    Ok(())
}

fn main() {}
