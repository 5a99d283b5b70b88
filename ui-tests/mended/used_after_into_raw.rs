//! The mend of `ui-tests/used_after_into_raw.rs`. Take it back with `from_raw`.

use cuscope::{Context, ContextStack, Result, foreign::RawContext};

fn right(stack: &mut ContextStack, context: Context) -> Result<RawContext> {
    stack.push(&context)?.pop()?;
    Ok(context.into_raw().expect("nothing else holds it"))
}

fn main() {}
