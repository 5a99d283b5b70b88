//! A bound handle is lent by its detached owner, which frees it when dropped (F42, F105).
//! Drop the owner later, or `attach` it.

use cuscope::{Context, ContextStack, Detached, Result, Stream};

fn misuse(
    stack: &mut ContextStack,
    context: &Context,
    stream: Detached<Stream<'static>>,
) -> Result {
    let gpu = stack.push(context)?;
    let bound = gpu.bind(&stream)?;
    drop(stream);
    bound.synchronize()
}

fn main() {}
