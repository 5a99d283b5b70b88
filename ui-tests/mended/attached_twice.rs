//! The mend of `ui-tests/attached_twice.rs`. Use `bind` to lend it.

use cuscope::{Context, ContextStack, Detached, Result, Stream};

fn right(
    stack: &mut ContextStack,
    context: &Context,
    stream: Detached<Stream<'static>>,
) -> Result {
    let gpu = stack.push(context)?;
    let first = gpu.bind(&stream)?;
    let second = gpu.bind(&stream)?;
    first.synchronize()?;
    second.synchronize()
}

fn main() {}
