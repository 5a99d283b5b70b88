//! Rows of a covered guard are not copied under the guard that covers it, which may be of another context (F34).

use cuscope::{Context, ContextStack, Result};

fn misuse(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
    let mut outer = stack.push(a)?;
    let x = outer.alloc_pitched::<f32>((8, 8))?;
    let inner = outer.push(b)?;
    let stream = inner.stream()?;
    let mut y = inner.alloc_pitched::<f32>((8, 8))?;
    inner.on(&stream).copy(&x, &mut y)
}

fn main() {}
