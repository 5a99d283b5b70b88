//! Stacks of two `reentrant` calls do not trade places.
//!
//! **Why:** The outer one is suspended until the inner call returns, and would pop entries that are not its own
//! (F88). It is a part of `one-token`.
//!
//! **Mend:** Use the one that you were given. See `ui-tests/mended/swap_nested_stacks.rs`.
//!
//! **Mistake** (E0521):

use cuscope::{ContextStack, Result};

fn misuse() -> Result {
    ContextStack::reentrant(|outer| {
        ContextStack::reentrant(|inner| {
            std::mem::swap(outer, inner);
            Ok(())
        })
    })
}

fn main() {}
