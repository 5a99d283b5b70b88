//! The mend of `ui-tests/context_to_library.rs`. Hand it `&mut stack`, or `&mut gpu` to push on top of a guard.

use cuscope::{ContextStack, PushContext, Result};

fn library(_stack: &mut impl PushContext) -> Result {
    Ok(())
}

fn right(stack: &mut ContextStack) -> Result {
    library(stack)
}

fn main() {}
