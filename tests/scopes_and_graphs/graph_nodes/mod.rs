//! Graphs that are built node by node, and changes of single nodes.
#![allow(unsafe_code, reason = "launches kernels")]

mod changes;
mod conditionals;
mod kept;
mod memory;
mod nodes;
mod values;

use crate::common::gpu::{filled, new_context, read, with_gpu};
use crate::{common, skip};
use cuscope::{
    ContextStack, DeviceBuffer, Error, Graph, LaunchConfig, PushedGuard, detached::Branded,
    graph::MemsetNode,
};
use cuscope_softdriver::control::record;

const ONE: fn() -> LaunchConfig = || LaunchConfig::new(1, 1);

/// A graph that fills `x`.
fn fill<'ctx>(
    gpu: &PushedGuard<'ctx>,
    x: &mut DeviceBuffer<'ctx, u32>,
    value: u32,
) -> (Graph<'ctx>, MemsetNode) {
    gpu.build_graph(|g| g.fill(&[], &mut g.hold(x), value)).unwrap()
}

/// A captured graph that copies `x` to `y`.
fn captured_copy<'ctx>(
    gpu: &PushedGuard<'ctx>,
    x: &DeviceBuffer<'ctx, u32>,
    y: &mut DeviceBuffer<'ctx, u32>,
) -> Graph<'ctx> {
    gpu.capture(&mut gpu.stream().unwrap(), |c| c.stream().copy(x, &mut c.hold(y))).unwrap()
}

#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, Error>, call: &'static str) {
    match result {
        Err(Error::InvalidArgument { call: refused, .. }) => assert_eq!(refused, call),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_built_graph_makes_the_calls_of_c() {
    if !common::software() {
        skip!("only the software driver counts its calls");
    }
    with_gpu(|gpu| {
        let (x, mut y) = (filled(gpu, 4, 1), filled(gpu, 4, 2));
        let ((mut graph, node), calls) = record(|| {
            gpu.build_graph(|g| {
                let mut y = g.hold(&mut y);
                g.copy(&[], &x, &mut y)?;
                g.fill(&[], &mut y, 3)
            })
            .unwrap()
        });
        assert_eq!(
            calls,
            [
                "cuGraphCreate",
                "cuGraphAddMemcpyNode",
                "cuGraphAddMemsetNode",
                "cuCtxGetCurrent",
                "cuGraphInstantiateWithFlags"
            ]
        );
        let (set, calls) = record(|| (graph.set_fill(node, 4_u32), graph.set_enabled(node, false)));
        assert_eq!(set, (Ok(()), Ok(())));
        assert_eq!(
            calls,
            [
                "cuGraphMemsetNodeGetParams",
                "cuGraphExecMemsetNodeSetParams",
                "cuGraphNodeSetEnabled"
            ]
        );
    });
}

#[test]
fn a_built_graph_goes_to_another_thread() {
    let context = new_context();
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&context).unwrap();
    let mut x = filled(&gpu, 4, 1);
    let (graph, node) = fill(&gpu, &mut x, 1);
    let model = (graph, x).detach();
    gpu.pop().unwrap();
    std::thread::scope(|s| {
        s.spawn(move || {
            let mut stack = ContextStack::current_thread().unwrap();
            let gpu = stack.push(&context).unwrap();
            let (mut graph, mut x) = gpu.attach(model).ok().unwrap();
            graph.set_fill(node, 7_u32).unwrap();
            gpu.on(&gpu.stream().unwrap()).replay(&graph, &mut x).unwrap();
            assert_eq!(read(&gpu, &x), [7; 4]);
        });
    });
}
