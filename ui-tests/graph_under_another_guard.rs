//! A graph is replayed only under the guard that it came from.
//!
//! **Why:** Its kernels and memory belong to that guard's context (F34). It is a part of `own-context`.
//!
//! **Mend:** Build the graph under the guard that replays it. See `ui-tests/mended/graph_under_another_guard.rs`.
//!
//! **Mistake** (E0597):

use cuscope::{Context, ContextStack, Result};

fn misuse(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
    let mut outer = stack.push(a)?;
    let (graph, ()) = outer.build_graph(|_| Ok(()))?;
    let inner = outer.push(b)?;
    let stream = inner.stream()?;
    inner.on(&stream).replay(&graph, ())
}

fn main() {}
