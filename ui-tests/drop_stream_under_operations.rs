//! Operations on a stream hold the stream.
//!
//! **Why:** Once it is destroyed, the driver hands its handle out again for another one (F105). It is a part of
//! `frees-need-no-stack`.
//!
//! **Mend:** Drop the stream after its last operation. See `ui-tests/mended/drop_stream_under_operations.rs`.
//!
//! **Mistake** (E0505):

use cuscope::{Context, ContextStack, DeviceBuffer, Result};

fn misuse(stack: &mut ContextStack, context: &Context) -> Result {
    let gpu = stack.push(context)?;
    let stream = gpu.stream()?;
    let mut buffer: DeviceBuffer<'_, u32> = gpu.alloc(16)?;
    let run = gpu.on(&stream);
    drop(stream);
    run.zero(&mut buffer)
}

fn main() {}
