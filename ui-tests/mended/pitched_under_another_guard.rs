//! The mend of `ui-tests/pitched_under_another_guard.rs`. Detach them, and attach them to the other guard, which
//! compares.

use cuscope::{Context, ContextStack, Result};

fn right(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
    let first = stack.push(a)?;
    let x = first.alloc_pitched::<f32>((8, 8))?.detach();
    first.pop()?;
    let second = stack.push(b)?;
    let x = second.attach(x)?;
    let stream = second.stream()?;
    let mut y = second.alloc_pitched::<f32>((8, 8))?;
    second.on(&stream).copy(&x, &mut y)
}

fn main() {}
