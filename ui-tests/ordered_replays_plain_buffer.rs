//! A graph that an ordered stream replays uses memory of that stream: let the stream adopt the buffer.

use cuscope::{DeviceBuffer, Graph, OrderedStream, Result};

fn misuse<'ctx>(
    ordered: &OrderedStream,
    graph: &Graph<'ctx>,
    x: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    ordered.replay(graph, x)
}

fn main() {}
