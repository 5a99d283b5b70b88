//! The mend of `ui-tests/ordered_replays_plain_buffer.rs`. Let the stream adopt the buffer.

use cuscope::{DeviceBuffer, Graph, OrderedStream, Result};

fn right<'ctx>(
    ordered: &OrderedStream,
    graph: &Graph<'ctx>,
    x: DeviceBuffer<'ctx, f32>,
) -> Result {
    let mut x = ordered.adopt(x)?;
    ordered.replay(graph, &mut x)
}

fn main() {}
