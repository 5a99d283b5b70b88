//! A graph that a scope replays may run until the scope ends.
//!
//! **Why:** The buffers were moved in, so they are freed when the closure returns, while the nodes of the graph may
//! still use them. It is a part of `scope-borrows`.
//!
//! **Mend:** Lend it memory that lives longer. See `ui-tests/mended/local_buffer_replayed.rs`.
//!
//! **Mistake** (E0597):

use cuscope::{DeviceBuffer, Graph, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    graph: &Graph<'ctx>,
    (x, mut y): (DeviceBuffer<'ctx, f32>, DeviceBuffer<'ctx, f32>),
    (mut all, rest): (Vec<DeviceBuffer<'ctx, f32>>, Vec<DeviceBuffer<'ctx, f32>>),
) -> Result {
    gpu.scope(move |s| {
        let stream = s.on(stream);
        stream.replay(graph, (&x, &mut y))?;
        stream.replay(graph, (&mut all[..], &rest[..]))
    })
}

fn main() {}
