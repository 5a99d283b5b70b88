//! Rows of one guard are not copied under another one, which may be of another context (F34).
//!
//! **Why:** The driver copies between the two contexts without an error, and without an order with the work of the
//! first one. It is a part of `own-context`.
//!
//! **Mend:** Detach them, and attach them to the other guard, which compares. See
//! `ui-tests/mended/pitched_under_another_guard.rs`.
//!
//! **Mistake** (E0499):

use cuscope::{Context, ContextStack, Result};

fn misuse(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
    let first = stack.push(a)?;
    let x = first.alloc_pitched::<f32>((8, 8))?;
    first.pop()?;
    let second = stack.push(b)?;
    let stream = second.stream()?;
    let mut y = second.alloc_pitched::<f32>((8, 8))?;
    second.on(&stream).copy(&x, &mut y)
}

fn main() {}
