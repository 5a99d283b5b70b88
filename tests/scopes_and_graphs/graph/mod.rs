//! Graphs: captured once, replayed on the memory that they own.
#![allow(unsafe_code, reason = "launches kernels")]

mod captures;
mod definitions;
mod kept;
mod pools;
mod replays;
mod times;
mod updates;

use cuscope::{DeviceBuffer, Graph, PushedGuard, graph::Enqueue};

/// A graph that copies `x` to `y`.
fn copy<'ctx>(
    gpu: &PushedGuard<'ctx>,
    x: &DeviceBuffer<'ctx, u32>,
    y: &mut DeviceBuffer<'ctx, u32>,
) -> Graph<'ctx> {
    gpu.capture(&mut gpu.stream().unwrap(), |c| c.stream().copy(x, &mut c.hold(y))).unwrap()
}
