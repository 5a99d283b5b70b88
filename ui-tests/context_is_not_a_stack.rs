//! A context is what is pushed, not what is pushed on.
//!
//! **Why:** The stack belongs to the thread (F11). It is a part of `right-context`.
//!
//! **Mend:** Push it on the thread's stack or on a guard: `stack.push(a)`. See
//! `ui-tests/mended/context_is_not_a_stack.rs`.
//!
//! **Mistake** (E0599):

use cuscope::{Context, Result};

fn misuse(a: &mut Context, b: &Context) -> Result {
    let gpu = a.push(b)?;
    gpu.pop()
}

fn main() {}
