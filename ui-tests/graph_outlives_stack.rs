//! A graph has the lifetime of its guard as a mark: detach it to keep it.

use cuscope::{Context, ContextStack, Graph, Result};

fn misuse<'ctx>(context: &'ctx Context) -> Result<Graph<'ctx>> {
    let mut stack = ContextStack::current_thread()?;
    let gpu = stack.push(context)?;
    let mut stream = gpu.stream()?;
    gpu.capture(&mut stream, |_| Ok(()))
}

fn main() {}
