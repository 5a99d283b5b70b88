//! An ordered stream uses only its own memory: a buffer that it has not adopted may be dropped while the device uses it.

use cuscope::{DeviceBuffer, Function, Graph, LaunchConfig, OrderedStream, Result};

fn launched<'ctx>(
    ordered: &OrderedStream<'ctx>,
    kernel: &Function<'ctx>,
    x: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    unsafe { ordered.launch(kernel, LaunchConfig::new(1, 1), (x,)) }
}

fn copied<'ctx>(ordered: &OrderedStream<'ctx>, x: &DeviceBuffer<'ctx, f32>) -> Result {
    ordered.copy(x, &mut ordered.alloc(8)?)
}

fn replayed<'ctx>(
    ordered: &OrderedStream<'ctx>,
    graph: &Graph<'ctx>,
    x: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    ordered.replay(graph, x)
}

fn handed_over<'ctx>(ordered: &OrderedStream<'ctx>, x: DeviceBuffer<'ctx, f32>) -> Result {
    ordered.hand_over(x)?;
    Ok(())
}

fn main() {}
