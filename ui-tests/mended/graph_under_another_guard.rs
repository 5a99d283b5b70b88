//! The mend of `ui-tests/graph_under_another_guard.rs`. Build the graph under the guard that replays it.

use cuscope::{Context, ContextStack, Result};

fn right(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
    let mut outer = stack.push(a)?;
    let inner = outer.push(b)?;
    let (graph, ()) = inner.build_graph(|_| Ok(()))?;
    let stream = inner.stream()?;
    inner.on(&stream).replay(&graph, ())
}

fn main() {}
