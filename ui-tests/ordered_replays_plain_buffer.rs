//! A graph that an ordered stream replays uses memory of that stream.
//!
//! **Why:** Only operations of its stream use memory that belongs to a stream, so the device runs all uses in the
//! order of the calls. The free is behind them. This is `ordered-apart`.
//!
//! **Mend:** Let the stream adopt the buffer. See `ui-tests/mended/ordered_replays_plain_buffer.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{DeviceBuffer, Graph, OrderedStream, Result};

fn misuse<'ctx>(
    ordered: &OrderedStream,
    graph: &Graph<'ctx>,
    x: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    ordered.replay(graph, x)
}

fn main() {}
