//! A handle that one guard has bound is not used under another one, which may be of another context (F34).
//!
//! **Why:** The stream is one of context `a`, the buffer one of `b`. The driver takes both, and orders the fill with
//! nothing in `b` (F34). It is a part of `detached-unusable`.
//!
//! **Mend:** Bind it again under the inner guard, which compares. See
//! `ui-tests/mended/bound_under_another_guard.rs`.
//!
//! **Mistake** (E0597):

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
