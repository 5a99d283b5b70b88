//! The mend of `ui-tests/pitched_of_covered_guard.rs`. Allocate under the guard that copies.

use cuscope::{Context, ContextStack, Result};

fn right(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
    let mut outer = stack.push(a)?;
    let inner = outer.push(b)?;
    let x = inner.alloc_pitched::<f32>((8, 8))?;
    let stream = inner.stream()?;
    let mut y = inner.alloc_pitched::<f32>((8, 8))?;
    inner.on(&stream).copy(&x, &mut y)
}

fn main() {}
