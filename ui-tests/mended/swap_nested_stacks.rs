//! The mend of `ui-tests/swap_nested_stacks.rs`. Use the one that you were given.

use cuscope::{ContextStack, Result};

fn right() -> Result {
    ContextStack::reentrant(|_outer| {
        ContextStack::reentrant(|inner| {
            println!("{inner:?}");
            Ok(())
        })
    })
}

fn main() {}
