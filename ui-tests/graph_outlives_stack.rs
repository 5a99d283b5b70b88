//! A graph has the lifetime of its guard as a mark.
//!
//! **Why:** The guard pops the context when the function returns, and the context may end. A replay would launch
//! nodes whose memory and code are gone. It is a part of `graph-owns`.
//!
//! **Mend:** Detach it to keep it. See `ui-tests/mended/graph_outlives_stack.rs`.
//!
//! **Mistake** (E0515):

use cuscope::{Context, ContextStack, Graph, Result};

fn misuse<'ctx>(context: &'ctx Context) -> Result<Graph<'ctx>> {
    let mut stack = ContextStack::current_thread()?;
    let gpu = stack.push(context)?;
    let mut stream = gpu.stream()?;
    gpu.capture(&mut stream, |_| Ok(()))
}

fn main() {}
