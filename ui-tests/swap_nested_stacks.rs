//! Stacks of two `reentrant` calls do not trade places: the outer one is suspended until the inner
//! call returns, and would pop entries that are not its own (F88). Use the one that you were given.

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
