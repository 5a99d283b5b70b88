//! A copy from another context writes memory of the stream's guard (F34).
//!
//! **Why:** To write memory of another guard, use `copy_to_peer`, which reads memory of the stream's guard. It is a
//! part of `peers-borrowed`.
//!
//! **Mend:** To write memory of another guard, use `copy_to_peer`, which reads memory of the stream's guard. See
//! `ui-tests/mended/peer_copy_to_covered.rs`.
//!
//! **Mistake** (E0597):

use cuscope::{Context, ContextStack, Result};

fn misuse(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
    let mut outer = stack.push(a)?;
    let x = outer.alloc::<f32>(8)?;
    let mut y = outer.alloc::<f32>(8)?;
    let inner = outer.push(b)?;
    let stream = inner.stream()?;
    inner.on(&stream).copy_from_peer(&x, &mut y)
}

fn main() {}
