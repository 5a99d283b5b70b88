//! Two guards do not get one brand because the outer is taken out of its `Option` in the end.
//!
//! **Why:** Its place is dropped, and the handle would meet another context (F34). It is a part of `own-context`.
//!
//! **Mend:** Create the stream under the guard that uses it. See `ui-tests/mended/brand_option_take.rs`.
//!
//! **Mistake** (E0499, E0597):

use cuscope::{Context, ContextStack, Result};

fn misuse(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
    let mut outer = Some(stack.push(a)?);
    let stream = outer.as_ref().unwrap().stream()?;
    let inner = outer.as_mut().unwrap().push(b)?;
    inner.on(&stream).record(&inner.event()?)?;
    drop(inner);
    drop(outer.take());
    Ok(())
}

fn main() {}
