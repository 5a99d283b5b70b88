//! The mend of `ui-tests/guard_stashed_in_reentrant.rs`. Use it inside.

use cuscope::{Context, ContextStack, Result};

fn right(context: &Context) -> Result {
    ContextStack::reentrant(|stack| {
        let _gpu = stack.push(context)?;
        Ok(())
    })
}

fn main() {}
