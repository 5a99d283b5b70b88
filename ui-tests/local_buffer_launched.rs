//! A kernel of a scope may run until the scope ends, and a graph likewise: lend them memory that lives longer.

use cuscope::{DeviceBuffer, Function, Graph, LaunchConfig, PinnedBuffer, PushedGuard, Result, Stream};

struct Memory<'ctx> {
    read: DeviceBuffer<'ctx, f32>,
    written: DeviceBuffer<'ctx, f32>,
    sliced: DeviceBuffer<'ctx, f32>,
    pinned: PinnedBuffer<f32>,
    mapped: PinnedBuffer<f32>,
}

fn launched<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    kernel: &Function<'ctx>,
    mut m: Memory<'ctx>,
) -> Result {
    let config = LaunchConfig::new(1, 1);
    gpu.scope(move |s| {
        let stream = s.on(stream);
        unsafe { stream.launch(kernel, config, (&m.read,)) }?;
        unsafe { stream.launch(kernel, config, (&mut m.written,)) }?;
        unsafe { stream.launch(kernel, config, (m.sliced.slice(..)?,)) }?;
        unsafe { stream.launch(kernel, config, (&m.pinned,)) }?;
        unsafe { stream.launch(kernel, config, (&mut m.mapped,)) }
    })
}

fn in_part<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    kernel: &Function<'ctx>,
    x: &mut DeviceBuffer<'ctx, f32>,
    y: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    let config = LaunchConfig::new(1, 1);
    gpu.scope(|s| {
        let stream = s.on(stream);
        let (read, mut written) = (x.slice_mut(..)?, y.slice_mut(..)?);
        unsafe { stream.launch(kernel, config, (&read,)) }?;
        unsafe { stream.launch(kernel, config, (&mut written,)) }
    })
}

fn replayed<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    graph: &Graph<'ctx>,
    mut m: Memory<'ctx>,
    mut all: [DeviceBuffer<'ctx, f32>; 1],
    rest: [DeviceBuffer<'ctx, f32>; 1],
) -> Result {
    gpu.scope(move |s| {
        let stream = s.on(stream);
        stream.replay(graph, (&m.read, &mut m.written))?;
        stream.replay(graph, (&mut all[..], &rest[..]))
    })
}

fn main() {}
