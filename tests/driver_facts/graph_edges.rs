//! Edges that do more than order, and the flags of graphs that can run: F565 to F567.

use crate::raw::captures::*;
use crate::raw::*;
use cuscope::ffi::*;
use std::ptr::{null, null_mut};

const LOSSY: CUresult = CUDA_ERROR_LOSSY_QUERY;

fn edge(from_port: u8, to_port: u8, r#type: u8) -> CUgraphEdgeData {
    CUgraphEdgeData { from_port, to_port, r#type, reserved: [0; 5] }
}

fn kernel(graph: CUgraph, place: &Place) -> CUgraphNode {
    let mut launch: CUDA_KERNEL_NODE_PARAMS = all_zeros();
    launch.func = place.kernel(c"nothing");
    (launch.gridDimX, launch.gridDimY, launch.gridDimZ) = (1, 1, 1);
    (launch.blockDimX, launch.blockDimY, launch.blockDimZ) = (1, 1, 1);
    made!(cuGraphAddKernelNode_v2(graph, null(), 0, &raw const launch))
}

fn add(graph: CUgraph, from: CUgraphNode, to: CUgraphNode, data: CUgraphEdgeData) -> CUresult {
    let (from, to, data) = (&raw const from, &raw const to, &raw const data);
    newer!(cuGraphAddDependencies_v2(graph, from, to, data, 1))
}

/// The edges to a node.
fn before(node: CUgraphNode) -> (Vec<CUgraphNode>, Vec<CUgraphEdgeData>) {
    let (mut nodes, mut data, mut count) = ([null_mut(); 4], [edge(9, 9, 9); 4], 4);
    let (to, of) = (nodes.as_mut_ptr(), data.as_mut_ptr());
    ok!(newer cuGraphNodeGetDependencies_v2(node, to, of, &raw mut count));
    assert!(nodes[count..].iter().all(|node| node.is_null()));
    (nodes[..count].to_vec(), data[..count].to_vec())
}

/// F565
#[test]
fn edges_between_kernels_let_them_start_early() {
    has!(cuGraphAddDependencies_v2, cuGraphNodeGetDependencies_v2);
    let place = place();
    for data in [edge(1, 0, 1), edge(2, 0, 0), edge(2, 0, 1)] {
        let graph = made!(cuGraphCreate(0));
        let [a, b] = [graph; 2].map(|graph| kernel(graph, &place));
        assert_eq!(add(graph, a, b, data), SUCCESS);
        assert_eq!(add(graph, a, b, data), INVALID_VALUE);
        assert_eq!(before(b), (vec![a], vec![data]));
        replay(instantiate(graph), place.stream);
        // Who asks for no data is told of no edges, but of their number.
        let (mut one, mut two, mut count) = ([null_mut(); 2], [null_mut(); 2], 2);
        let (to, from) = (one.as_mut_ptr(), two.as_mut_ptr());
        each_gives!(LOSSY; {
            cuGraphNodeGetDependencies(b, to, &raw mut count);
            cuGraphNodeGetDependentNodes(a, to, &raw mut count);
            cuGraphGetEdges(graph, from, to, &raw mut count);
        });
        let none = null_mut();
        assert_eq!(newer!(cuGraphNodeGetDependencies_v2(b, to, none, &raw mut count)), LOSSY);
        assert_eq!(newer!(cuGraphGetEdges_v2(graph, from, to, none, &raw mut count)), LOSSY);
        ok!(cuGraphGetEdges(graph, null_mut(), null_mut(), &raw mut count));
        assert_eq!(count, 1);
        // Copies have them too.
        let copy: CUgraph = made!(cuGraphClone(graph));
        let of_copy: CUgraphNode = made!(cuGraphNodeFindInClone(b, copy));
        assert_eq!(before(of_copy).1, [data]);
        // Another graph with a plain edge is not the same.
        let plain = made!(cuGraphCreate(0));
        let [c, d] = [plain; 2].map(|graph| kernel(graph, &place));
        ok!(cuGraphAddDependencies(plain, &raw const c, &raw const d, 1));
        let mut info: CUgraphExecUpdateResultInfo = all_zeros();
        let code = code!(cuGraphExecUpdate_v2(instantiate(graph), plain, &raw mut info));
        let changed = CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
        assert_eq!((code, info.result), (CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, changed));
        // Removed whatever its data, if none is given.
        ok!(cuGraphRemoveDependencies(graph, &raw const a, &raw const b, 1));
        assert_eq!(before(b), (vec![], vec![]));
    }
    let graph = made!(cuGraphCreate(0));
    let [a, b] = [graph; 2].map(|graph| kernel(graph, &place));
    let empty: CUgraphNode = made!(cuGraphAddEmptyNode(graph, null(), 0));
    let reserved = CUgraphEdgeData { reserved: [1, 0, 0, 0, 0], ..edge(0, 0, 0) };
    for (from, to, bad) in [
        (a, b, edge(1, 0, 0)),
        (a, b, edge(0, 0, 1)),
        (a, b, edge(0, 0, 2)),
        (a, b, edge(3, 0, 0)),
        (a, b, edge(0, 1, 0)),
        (a, b, edge(1, 1, 1)),
        (a, b, reserved),
        (a, empty, edge(1, 0, 1)),
        (empty, a, edge(1, 0, 1)),
    ] {
        assert_eq!(add(graph, from, to, bad), INVALID_VALUE);
    }
    place.destroy();
}

/// F565
#[test]
fn a_captured_programmatic_launch_is_an_early_edge() {
    has!(cuGraphNodeGetDependencies_v2);
    let place = place();
    begin(place.stream, RELAXED);
    let mut all: [CUlaunchAttribute; 1] = all_zeros();
    all[0].id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    all[0].value.programmaticStreamSerializationAllowed = 1;
    let mut config: CUlaunchConfig = all_zeros();
    (config.gridDimX, config.gridDimY, config.gridDimZ) = (1, 1, 1);
    (config.blockDimX, config.blockDimY, config.blockDimZ) = (1, 1, 1);
    (config.hStream, config.attrs, config.numAttrs) = (place.stream, all.as_mut_ptr(), 1);
    let nothing = place.kernel(c"nothing");
    for _ in 0..2 {
        ok!(cuLaunchKernelEx(&raw const config, nothing, null_mut(), null_mut()));
    }
    let graph = end(place.stream);
    let [first, second] = nodes(graph)[..] else { panic!("two nodes") };
    assert_eq!(before(second), (vec![first], vec![edge(1, 0, 1)]));
    replay(instantiate(graph), place.stream);
    place.destroy();
}

/// F566
#[test]
fn nodes_before_and_behind_are_told_with_the_data_of_the_edges() {
    has!(cuGraphNodeGetDependencies_v2, cuGraphNodeGetDependentNodes_v2);
    let place = place();
    let graph: CUgraph = made!(cuGraphCreate(0));
    let a: CUgraphNode = made!(cuGraphAddEmptyNode(graph, null(), 0));
    let b: CUgraphNode = made!(cuGraphAddEmptyNode(graph, &raw const a, 1));
    assert_eq!(before(b), (vec![a], vec![edge(0, 0, 0)]));
    let (mut nodes, mut data, mut count) = ([null_mut(); 2], [edge(9, 9, 9); 2], 2);
    let (to, of, number) = (nodes.as_mut_ptr(), data.as_mut_ptr(), &raw mut count);
    ok!(newer cuGraphNodeGetDependentNodes_v2(a, to, of, number));
    assert_eq!((nodes, data, count), ([b, null_mut()], [edge(0, 0, 0), edge(9, 9, 9)], 1));
    let none = null_mut();
    ok!(newer cuGraphNodeGetDependencies_v2(b, to, none, number));
    let asked = |node, to, of, number| {
        let before = newer!(cuGraphNodeGetDependencies_v2(node, to, of, number));
        let behind = newer!(cuGraphNodeGetDependentNodes_v2(node, to, of, number));
        [before, behind]
    };
    count = 2;
    assert_eq!(asked(null_mut(), to, of, &raw mut count), [INVALID_VALUE; 2]);
    assert_eq!(newer!(cuGraphNodeGetDependencies_v2(b, null_mut(), of, number)), INVALID_VALUE);
    assert_eq!(newer!(cuGraphNodeGetDependencies_v2(b, to, of, null_mut())), INVALID_VALUE);
    count = 0;
    assert_eq!(newer!(cuGraphNodeGetDependencies_v2(b, to, of, &raw mut count)), INVALID_VALUE);
    place.destroy();
}

/// F567
#[test]
fn a_graph_that_can_run_tells_how_it_frees_memory() {
    let place = place();
    let graph = made!(cuGraphCreate(0));
    let _node: CUgraphNode = made!(cuGraphAddEmptyNode(graph, null(), 0));
    for (flags, told) in [(0, 0), (1, 1), (8, 0), (9, 1)] {
        let exec: CUgraphExec = made!(cuGraphInstantiateWithFlags(graph, flags));
        let mut out = 77;
        ok!(cuGraphExecGetFlags(exec, &raw mut out));
        assert_eq!(out, told);
        assert_eq!(code!(cuGraphExecGetFlags(exec, null_mut())), INVALID_VALUE);
        assert_eq!(code!(cuGraphExecGetFlags(null_mut(), &raw mut out)), INVALID_VALUE);
    }
    place.destroy();
}
