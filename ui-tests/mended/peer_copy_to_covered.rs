//! The mend of `ui-tests/peer_copy_to_covered.rs`. To write memory of another guard, use `copy_to_peer`, which reads
//! memory of the stream's guard.

use cuscope::{Context, ContextStack, Result};

fn right(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
    let mut outer = stack.push(a)?;
    let mut y = outer.alloc::<f32>(8)?;
    let inner = outer.push(b)?;
    let stream = inner.stream()?;
    let x = inner.alloc::<f32>(8)?;
    inner.on(&stream).copy_to_peer(&x, &mut y)
}

fn main() {}
