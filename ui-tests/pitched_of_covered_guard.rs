//! Rows of a covered guard are not copied under the guard that covers it, which may be of another context (F34).
//!
//! **Why:** The driver copies between the two contexts without an error, and without an order with the work of the
//! outer one. It is a part of `own-context`.
//!
//! **Mend:** Allocate under the guard that copies. See `ui-tests/mended/pitched_of_covered_guard.rs`.
//!
//! **Mistake** (E0597):

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
