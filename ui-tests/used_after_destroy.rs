//! A context that was destroyed cannot be pushed.
//!
//! **Why:** The driver would accept it, and work under it would fail or corrupt the heap (F14). It is a part of
//! `ended-once`.
//!
//! **Mend:** Destroy it last, or let the last clone do it. See `ui-tests/mended/used_after_destroy.rs`.
//!
//! **Mistake** (E0382):

use cuscope::{Context, ContextStack, Result};

fn misuse(stack: &mut ContextStack, context: Context) -> Result {
    context.try_destroy().expect("nothing else holds it")?;
    stack.push(&context)?.pop()
}

fn main() {}
