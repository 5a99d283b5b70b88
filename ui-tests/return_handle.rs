//! A handle does not leave the function whose guard it belongs to.
//!
//! **Why:** Its user could not show that the context is current (F3). It is a part of `own-context`.
//!
//! **Mend:** Take the guard as an argument, or return `stream.detach()`. See `ui-tests/mended/return_handle.rs`.
//!
//! **Mistake** (E0515):

use cuscope::{Context, ContextStack, Result, Stream};

fn misuse<'ctx>(context: &'ctx Context) -> Result<Stream<'ctx>> {
    let mut stack = ContextStack::current_thread()?;
    let gpu = stack.push(context)?;
    let stream = gpu.stream()?;
    Ok(stream)
}

fn main() {}
