//! Operations on a stream hold the guard that they come from.
//!
//! **Why:** It cannot be covered under them. It is a part of `covered-unusable`.
//!
//! **Mend:** Take them again when the inner guard is gone: `outer.on(&stream)` costs nothing. See
//! `ui-tests/mended/push_under_operations.rs`.
//!
//! **Mistake** (E0502):

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
