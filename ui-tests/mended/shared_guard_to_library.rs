//! The mend of `ui-tests/shared_guard_to_library.rs`. Hand it `&mut gpu`.

use cuscope::{Context, ContextStack, PushContext, Result};

fn library(_stack: &mut impl PushContext) -> Result {
    Ok(())
}

fn right(stack: &mut ContextStack, context: &Context) -> Result {
    let mut gpu = stack.push(context)?;
    library(&mut gpu)
}

fn main() {}
