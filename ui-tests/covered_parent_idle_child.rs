//! A guard stays covered while the nested one lives, even if that is never named again: its context
//! is on top until it is dropped, and the driver would act on that (F33). Drop the inner guard first.

use cuscope::{Context, ContextStack, Result};

fn misuse(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
    let mut outer = stack.push(a)?;
    let _inner = outer.push(b)?;
    outer.synchronize()?;
    Ok(())
}

fn main() {}
