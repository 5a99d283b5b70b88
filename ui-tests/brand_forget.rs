//! Two guards do not get one brand by being forgotten in the end.
//!
//! **Why:** The outer cannot be moved while the inner borrows it, and the handle would meet another context (F34).
//! It is a part of `own-context`.
//!
//! **Mend:** Create the stream under the guard that uses it. See `ui-tests/mended/brand_forget.rs`.
//!
//! **Mistake** (E0505, E0597):

use cuscope::{Context, ContextStack, Result};

fn misuse(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
    let mut outer = stack.push(a)?;
    let stream = outer.stream()?;
    let inner = outer.push(b)?;
    inner.on(&stream).record(&inner.event()?)?;
    std::mem::forget(inner);
    std::mem::forget(outer);
    Ok(())
}

fn main() {}
