//! A graph that an ordered stream replays uses memory of that stream.
//!
//! **Why:** The stream would not know of other work with that buffer, nor other streams of the replay. It is a part
//! of `ordered-apart`.
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
