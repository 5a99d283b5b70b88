//! A graph keeps whole buffers: a part does not stand for its buffer in a replay.

use cuscope::{DeviceBuffer, Graph, Result, SyncStream};

fn misuse<'ctx>(
    stream: SyncStream<'_, 'ctx>,
    graph: &Graph<'ctx>,
    x: &DeviceBuffer<'ctx, f32>,
    y: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    stream.replay(graph, (x, &mut y.slice_mut(..4)?))
}

fn main() {}
