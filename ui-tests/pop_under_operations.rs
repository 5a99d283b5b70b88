//! Operations on a stream hold the guard that they come from.
//!
//! **Why:** It cannot be popped under them, as they would run for a context that is no longer pushed. It is a part
//! of `no-use-after-pop`.
//!
//! **Mend:** Take them again: `gpu.on(&stream)` costs nothing. See `ui-tests/mended/pop_under_operations.rs`.
//!
//! **Mistake** (E0505):

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
