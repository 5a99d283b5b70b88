//! A guard that is covered by a nested one cannot be used: the driver would act on the inner
//! context (F33). Pop the inner guard first.

use cuscope::{Context, ContextStack, Result};

fn misuse(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
    let mut outer = stack.push(a)?;
    let inner = outer.push(b)?;
    outer.synchronize()?;
    inner.pop()
}

fn main() {}
