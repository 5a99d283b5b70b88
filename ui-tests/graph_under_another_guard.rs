//! A graph is replayed only under the guard that it came from: its kernels and memory belong to that guard's context
//! (F34).

use cuscope::{Context, ContextStack, Result};

fn misuse(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
    let mut outer = stack.push(a)?;
    let (graph, ()) = outer.build_graph(|_| Ok(()))?;
    let inner = outer.push(b)?;
    let stream = inner.stream()?;
    inner.on(&stream).replay(&graph, ())
}

fn main() {}
