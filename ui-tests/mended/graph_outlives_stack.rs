//! The mend of `ui-tests/graph_outlives_stack.rs`. Detach it to keep it.

use cuscope::{Context, ContextStack, Detached, Graph, Result};

fn right<'ctx>(context: &'ctx Context) -> Result<Detached<Graph<'static>>> {
    let mut stack = ContextStack::current_thread()?;
    let gpu = stack.push(context)?;
    let mut stream = gpu.stream()?;
    Ok(gpu.capture(&mut stream, |_| Ok(()))?.detach())
}

fn main() {}
