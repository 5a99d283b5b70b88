//! Nodes that wait for numbers in host memory and write them.

use super::refused;
use crate::common::gpu::{filled, new_context, read, with_gpu};
use cuscope::graph::{Node, NodeKind, ValueOperationsNode};
use cuscope::stream::{Until, ValueOperation};
use cuscope::{ContextStack, Error, ffi};
use std::thread;

#[test]
fn a_replay_and_the_host_tell_each_other_how_far_they_are() {
    with_gpu(|gpu| {
        let (stream, mut x) = (gpu.stream().unwrap(), filled(gpu, 64, 1));
        let (go, done) = (gpu.stream_value(0_u32).unwrap(), gpu.stream_value(0_u64).unwrap());
        let (graph, node) = gpu
            .build_graph(|g| {
                let mut x = g.hold(&mut x);
                let waited = g.value_operations(&[], &[go.wait(Until::AtLeast(1)), go.write(0)])?;
                let filled = g.fill(&[waited.id()], &mut x, 7)?;
                let write = [ValueOperation::barrier(), done.write(1 << 40)];
                g.value_operations(&[filled.id()], &write)?;
                Ok(waited)
            })
            .unwrap();
        assert_eq!(node.id().kind(), NodeKind::ValueOperations);
        assert_eq!(format!("{node:?}").split('(').next(), Some("ValueOperationsNode"));
        let nodes = graph.list_nodes().unwrap();
        assert_eq!(ValueOperationsNode::try_from(nodes[0]), Ok(node));
        for _ in 0..2 {
            done.store(0);
            gpu.scope(|s| {
                let (run, mut x) = (s.on(&stream), s.hold(&mut x));
                run.replay(&graph, &mut x)?;
                assert!(!run.query()?);
                assert_eq!(done.load(), 0);
                go.store(1);
                while done.load() == 0 {
                    thread::yield_now();
                }
                Ok(())
            })
            .unwrap();
            assert_eq!((read(gpu, &x), go.load(), done.load()), (vec![7; 64], 0, 1 << 40));
        }
    });
}

#[test]
fn operations_are_captured() {
    with_gpu(|gpu| {
        let (mut main, mut side) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        let mut x = filled(gpu, 64, 1);
        let done = gpu.stream_value(0_u32).unwrap();
        let graph = {
            let go = gpu.stream_value(3_u32).unwrap();
            gpu.capture(&mut main, |c| {
                let (first, mut x) = (c.stream(), c.hold(&mut x));
                first.value_operations(&[go.wait(Until::Equal(3))])?;
                first.fill(&mut x, 7)?;
                first.value_operations(&[ValueOperation::barrier(), done.write(1)])?;
                first.value_operations(&[])?;
                c.fork(&mut side)?.value_operations(&[done.wait(Until::AtLeast(1))])
            })
            .unwrap()
        };
        let kinds: Vec<_> = graph.list_nodes().unwrap().iter().map(|node| node.kind()).collect();
        use NodeKind::{Memset, ValueOperations};
        assert_eq!(kinds, [ValueOperations, Memset, ValueOperations, ValueOperations]);
        gpu.on(&main).replay(&graph, &mut x).unwrap();
        assert_eq!((read(gpu, &x), done.load()), (vec![7; 64], 1));
        let many = vec![done.write(2); 256];
        let many = gpu.capture(&mut main, |c| c.stream().value_operations(&many));
        refused(many, "cuStreamBatchMemOp_v2");
    });
}

#[test]
fn operations_are_changed_for_as_many_of_the_same_kinds() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let (a, b) = (gpu.stream_value(0_u32).unwrap(), gpu.stream_value(0_u32).unwrap());
        let ((mut graph, node), other) = (
            gpu.build_graph(|g| g.value_operations(&[], &[a.write(1), b.wait(Until::Equal(0))]))
                .unwrap(),
            gpu.build_graph(|g| g.value_operations(&[], &[a.write(2)])).unwrap(),
        );
        gpu.on(&stream).replay(&graph, ()).unwrap();
        assert_eq!(a.load(), 1);
        graph.set_value_operations(node, &[b.write(5), a.wait(Until::AnyOf(1))]).unwrap();
        gpu.on(&stream).replay(&graph, ()).unwrap();
        assert_eq!((a.load(), b.load()), (1, 5));

        let wide = gpu.stream_value(0_u64).unwrap();
        for operations in [
            &[a.write(3)][..],
            &[a.write(3), b.write(3)],
            &[wide.write(3), b.wait(Until::Equal(5))],
            &[a.write(3), b.wait(Until::Equal(5)), a.write(4)],
            &[],
        ] {
            let error = graph.set_value_operations(node, operations).unwrap_err();
            assert_eq!(error.code(), Some(ffi::CUDA_ERROR_INVALID_VALUE));
        }
        refused(
            graph.set_value_operations(other.1, &[a.write(3), b.wait(Until::Equal(5))]),
            "cuGraphExecBatchMemOpNodeSetParams",
        );
        b.store(0);
        gpu.on(&stream).replay(&graph, ()).unwrap();
        assert_eq!((a.load(), b.load()), (1, 5));
    });
}

#[test]
fn a_graph_keeps_its_numbers() {
    with_gpu(|gpu| {
        let (stream, done) = (gpu.stream().unwrap(), gpu.stream_value(0_u32).unwrap());
        let build = |set: Option<u32>| {
            let (from, to) = (gpu.stream_value(3_u32).unwrap(), gpu.stream_value(0_u32).unwrap());
            let (mut graph, node) = gpu
                .build_graph(|g| {
                    let all = [from.wait(Until::Equal(3)), to.write(1), done.write(9)];
                    g.value_operations(&[], &all)
                })
                .unwrap();
            if let Some(value) = set {
                let other = gpu.stream_value(value).unwrap();
                let all = [other.wait(Until::Equal(value)), to.write(1), done.write(value)];
                graph.set_value_operations(node, &all).unwrap();
            }
            graph
        };
        let (first, second) = (build(None), build(Some(4)));
        gpu.on(&stream).replay(&first, ()).unwrap();
        assert_eq!(done.load(), 9);
        gpu.on(&stream).replay(&second, ()).unwrap();
        assert_eq!(done.load(), 4);
        // A graph that has another one as a node keeps what that one does.
        let (parent, _) = gpu.build_graph(|g| g.child(&[], &first, ())).unwrap();
        drop((first, second));
        gpu.on(&stream).replay(&parent, ()).unwrap();
        assert_eq!(done.load(), 9);
    });
}

#[test]
fn no_operations_are_an_empty_node() {
    with_gpu(|gpu| {
        let (stream, value) = (gpu.stream().unwrap(), gpu.stream_value(0_u32).unwrap());
        let (mut graph, node) = gpu.build_graph(|g| g.value_operations(&[], &[])).unwrap();
        assert_eq!(node.id().kind(), NodeKind::Empty);
        gpu.on(&stream).replay(&graph, ()).unwrap();
        let call = "cuGraphExecBatchMemOpNodeSetParams";
        refused(graph.set_value_operations(node, &[value.write(1)]), call);
        let many = vec![value.write(1); 256];
        refused(gpu.build_graph(|g| g.value_operations(&[], &many)), "cuGraphAddBatchMemOpNode");
        let (full, _) = gpu.build_graph(|g| g.value_operations(&[], &many[1..])).unwrap();
        gpu.on(&stream).replay(&full, ()).unwrap();
        assert_eq!(value.load(), 1);
        let (mut definition, node) =
            gpu.define_graph(|g| g.value_operations(&[], &many[..1])).unwrap();
        let set = "cuGraphBatchMemOpNodeSetParams";
        refused(definition.set_value_operations(node, &many), set);
        definition.set_value_operations(node, &many[..255]).unwrap();
        let mut graph = definition.into_graph(gpu).unwrap();
        refused(graph.set_value_operations(node, &many), call);
        // Another number of operations is for the driver to refuse.
        let error = graph.set_value_operations(node, &many[..254]).unwrap_err();
        assert_eq!(error.code(), Some(ffi::CUDA_ERROR_INVALID_VALUE));
    });
}

#[test]
fn a_node_of_another_graph_is_refused() {
    with_gpu(|gpu| {
        let value = gpu.stream_value(0_u32).unwrap();
        let (_other, node): (_, Node<_>) = gpu.build_graph(|g| g.empty(&[])).unwrap();
        let result = gpu.build_graph(|g| g.value_operations(&[node.id()], &[value.write(1)]));
        refused(result, "cuGraphAddBatchMemOpNode");
    });
}

#[test]
fn numbers_are_for_graphs_of_every_context() {
    let (a, b) = (new_context(), new_context());
    let mut stack = ContextStack::current_thread().unwrap();
    let value = stack.push(&a).unwrap().stream_value(0_u32).unwrap();
    let gpu = stack.push(&b).unwrap();
    let built = gpu.build_graph(|g| g.value_operations(&[], &[value.write(5)]));
    match built {
        Ok((graph, _)) => {
            let stream = gpu.stream().unwrap();
            gpu.on(&stream).replay(&graph, ()).unwrap();
            assert_eq!(value.load(), 5);
        }
        // Where the address is not the same in every context.
        Err(error) => assert!(matches!(error, Error::OtherContext { .. }), "{error}"),
    }
}
