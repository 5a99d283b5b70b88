//! The mend of `ui-tests/ordered_stream_captured.rs`. Capture another stream, and replay the graph in the ordered
//! one.

use cuscope::{OrderedStream, PushedGuard, Result, Stream};

fn right<'ctx>(gpu: &PushedGuard<'ctx>, stream: &mut Stream<'ctx>, ordered: &OrderedStream) -> Result {
    let graph = gpu.capture(stream, |_| Ok(()))?;
    ordered.replay(&graph, ())
}

fn main() {}
