//! A handle is used only under the guard that it came from.
//!
//! **Why:** The driver stops nothing: it would work on memory of another context (F34, F35) or refuse a stream
//! (F32). It is a part of `own-context`.
//!
//! **Mend:** Pop the inner guard first, or create the stream under it. See `ui-tests/mended/mix_nested.rs`.
//!
//! **Mistake** (E0597):

use cuscope::{Context, ContextStack, DeviceBuffer, Result};

fn misuse(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
    let mut outer = stack.push(a)?;
    let stream = outer.stream()?;
    let inner = outer.push(b)?;
    let mut buffer: DeviceBuffer<'_, u32> = inner.alloc(16)?;
    inner.on(&stream).zero(&mut buffer)
}

fn main() {}
