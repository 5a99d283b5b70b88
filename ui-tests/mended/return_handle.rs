//! The mend of `ui-tests/return_handle.rs`. Take the guard as an argument, or return `stream.detach()`.

use cuscope::{Context, ContextStack, Detached, Result, Stream};

fn right<'ctx>(context: &'ctx Context) -> Result<Detached<Stream<'static>>> {
    let mut stack = ContextStack::current_thread()?;
    let gpu = stack.push(context)?;
    let stream = gpu.stream()?;
    Ok(stream.detach())
}

fn main() {}
