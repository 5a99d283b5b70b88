//! A handle of a guard that was popped is not used under the next one.
//!
//! **Why:** That one may be of another context (F34). It is a part of `own-context`.
//!
//! **Mend:** To keep it over a pop, `detach` it, and `attach` it to the new guard. See
//! `ui-tests/mended/mix_sequential.rs`.
//!
//! **Mistake** (E0499):

use cuscope::{Context, ContextStack, Result};

fn misuse(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
    let first = stack.push(a)?;
    let stream = first.stream()?;
    first.pop()?;
    let second = stack.push(b)?;
    let event = second.event()?;
    second.on(&stream).record(&event)
}

fn main() {}
