//! The mend of `ui-tests/bound_outlives_detached.rs`. Drop the owner later, or `attach` it.

use cuscope::{Context, ContextStack, Detached, Result, Stream};

fn right(
    stack: &mut ContextStack,
    context: &Context,
    stream: Detached<Stream<'static>>,
) -> Result {
    let gpu = stack.push(context)?;
    let bound = gpu.bind(&stream)?;
    bound.synchronize()?;
    drop(stream);
    Ok(())
}

fn main() {}
