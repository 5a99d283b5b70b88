//! An event is recorded on streams of its own context.
//!
//! **Why:** The driver refuses others with 400 (F36). It is a part of `own-context`.
//!
//! **Mend:** Create it under the guard of the stream; *waiting* for an event of another context is fine. See
//! `ui-tests/mended/event_of_other_context_recorded.rs`.
//!
//! **Mistake** (E0597):

use cuscope::{Context, ContextStack, Result};

fn misuse(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
    let mut outer = stack.push(a)?;
    let event = outer.event()?;
    let inner = outer.push(b)?;
    let stream = inner.stream()?;
    inner.on(&stream).record(&event)
}

fn main() {}
