//! A graph has the lifetime of its guard as a mark.
//!
//! **Why:** A graph replays on memory and code that exist: it owns them. It contains no host memory but the numbers
//! that its nodes wait for and write. This is `graph-owns`.
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
