//! Graphs as values: why an update is refused, copies between events, several of one graph, and the memory of all graphs: F500 to F504, F568.

use crate::common::HANG;
use crate::fresh;
use crate::raw::captures::*;
use crate::raw::*;
use cuscope::ffi::*;
use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};
use std::time::Duration;

fn new() -> CUgraph {
    made!(cuGraphCreate(0))
}

fn empty(graph: CUgraph, before: &[CUgraphNode]) -> CUgraphNode {
    made!(cuGraphAddEmptyNode(graph, before.as_ptr(), before.len()))
}

/// A fill of rows of a word.
fn fill_of(place: &Place, rows: usize) -> CUDA_MEMSET_NODE_PARAMS {
    let (pitch, value, width) = (512, 7, 1);
    CUDA_MEMSET_NODE_PARAMS { dst: place.memory, pitch, value, elementSize: 4, width, height: rows }
}

fn fill(place: &Place, graph: CUgraph, before: &[CUgraphNode], rows: usize) -> CUgraphNode {
    let params = fill_of(place, rows);
    let params = &raw const params;
    made!(cuGraphAddMemsetNode(graph, before.as_ptr(), before.len(), params, place.context))
}

fn with_spin<R>(
    place: &Place,
    nanoseconds: u64,
    f: impl FnOnce(*const CUDA_KERNEL_NODE_PARAMS) -> R,
) -> R {
    let mut nanoseconds = nanoseconds;
    let mut arguments = [(&raw mut nanoseconds).cast::<c_void>()];
    let mut launch: CUDA_KERNEL_NODE_PARAMS = all_zeros();
    launch.func = place.kernel(c"spin");
    (launch.gridDimX, launch.gridDimY, launch.gridDimZ) = (1, 1, 1);
    (launch.blockDimX, launch.blockDimY, launch.blockDimZ) = (1, 1, 1);
    launch.kernelParams = arguments.as_mut_ptr();
    f(&raw const launch)
}

/// A kernel that runs for so long.
fn spin(place: &Place, graph: CUgraph, before: &[CUgraphNode], nanoseconds: u64) -> CUgraphNode {
    with_spin(place, nanoseconds, |params| {
        made!(cuGraphAddKernelNode_v2(graph, before.as_ptr(), before.len(), params))
    })
}

/// A graph of nodes that each come after those with these numbers.
fn shape(place: &Place, nodes: &[(u32, &[usize])]) -> CUgraph {
    let (graph, mut all) = (new(), Vec::new());
    for &(what, before) in nodes {
        let before: Vec<_> = before.iter().map(|&at| all[at]).collect();
        all.push(match what {
            0 => empty(graph, &before),
            rows => fill(place, graph, &before, rows as usize),
        });
    }
    graph
}

/// The number of a node that is not of the graph itself.
const WITHIN: usize = 99;

/// The result, and the numbers of the nodes that are named among those of the new graph.
fn update(old: CUgraph, new: CUgraph) -> (u32, Option<usize>, Option<usize>) {
    let mut info = CUgraphExecUpdateResultInfo {
        result: CUgraphExecUpdateResult(99),
        errorNode: null_mut(),
        errorFromNode: null_mut(),
    };
    let code = code!(cuGraphExecUpdate_v2(instantiate(old), new, &raw mut info));
    assert_eq!(code == SUCCESS, info.result == CU_GRAPH_EXEC_UPDATE_SUCCESS);
    let all = nodes(new);
    let place = |node: CUgraphNode| {
        (!node.is_null()).then(|| all.iter().position(|&one| one == node).unwrap_or(WITHIN))
    };
    (info.result.0, place(info.errorNode), place(info.errorFromNode))
}

/// F500
#[test]
fn an_update_that_is_refused_names_a_node_of_the_new_graph() {
    fresh!(an_update_that_is_refused_names_a_node_of_the_new_graph, {
        let place = place();
        let graph = |nodes: &[(u32, &[usize])]| shape(&place, nodes);
        let line: &[(u32, &[usize])] = &[(1, &[]), (1, &[0])];
        assert_eq!(update(graph(line), graph(line)), (0, None, None));
        // Another number of nodes.
        assert_eq!(update(graph(line), graph(&[(1, &[])])), (2, None, None));
        assert_eq!(update(graph(line), graph(&[(1, &[]), (1, &[0]), (1, &[1])])), (2, None, None));
        // Other edges: more last nodes, fewer of them, more nodes before one.
        let apart: &[(u32, &[usize])] = &[(1, &[]), (1, &[])];
        assert_eq!(update(graph(line), graph(apart)), (2, Some(0), None));
        assert_eq!(update(graph(apart), graph(line)), (2, None, None));
        let diamond: &[(u32, &[usize])] = &[(1, &[]), (1, &[0]), (1, &[0]), (1, &[1, 2])];
        let long: &[(u32, &[usize])] = &[(1, &[]), (1, &[0]), (1, &[1]), (1, &[2])];
        assert_eq!(update(graph(diamond), graph(long)), (2, Some(3), None));
        // Not the order of the nodes and edges.
        let one: &[(u32, &[usize])] = &[(1, &[]), (1, &[0]), (1, &[0]), (1, &[1])];
        let other: &[(u32, &[usize])] = &[(1, &[]), (1, &[0]), (1, &[0]), (1, &[2])];
        assert_eq!(update(graph(one), graph(other)), (0, None, None));
        let both: &[(u32, &[usize])] = &[(1, &[]), (1, &[0]), (1, &[0]), (1, &[2, 1])];
        assert_eq!(update(graph(diamond), graph(both)), (0, None, None));
        // Other kinds: the last of the nodes that differ. Other rows.
        assert_eq!(update(graph(line), graph(&[(1, &[]), (0, &[0])])), (3, Some(1), None));
        assert_eq!(update(graph(line), graph(&[(0, &[]), (1, &[0])])), (3, Some(0), None));
        assert_eq!(update(graph(line), graph(&[(0, &[]), (0, &[0])])), (3, Some(1), None));
        let rows: &[(u32, &[usize])] = &[(1, &[]), (2, &[0])];
        assert_eq!(update(graph(rows), graph(&[(1, &[]), (3, &[0])])), (5, Some(1), None));
        let child = |child: CUgraph| {
            let graph = graph(&[(1, &[])]);
            let _child: CUgraphNode = made!(cuGraphAddChildGraphNode(graph, null(), 0, child));
            graph
        };
        let kinds = update(child(graph(&[(0, &[])])), child(graph(&[(1, &[])])));
        assert_eq!(kinds, (3, Some(WITHIN), None));

        // Memory and events of another context.
        let there = Place::new();
        ok!(cuCtxPushCurrent_v2(there.context));
        let far: CUevent = made!(cuEventCreate(0));
        let mut top = null_mut();
        ok!(cuCtxPopCurrent_v2(&raw mut top));
        let filled = |of: &Place| {
            let (graph, params) = (new(), fill_of(of, 1));
            let params = &raw const params;
            let _fill: CUgraphNode =
                made!(cuGraphAddMemsetNode(graph, null(), 0, params, place.context));
            graph
        };
        assert_eq!(update(filled(&place), filled(&there)), (5, Some(0), None));
        let recorded = |event: CUevent| {
            let graph = new();
            let _record: CUgraphNode = made!(cuGraphAddEventRecordNode(graph, null(), 0, event));
            graph
        };
        assert_eq!(update(recorded(place.event), recorded(far)), (5, Some(0), None));
    });
}

/// The milliseconds between two events.
fn between(start: CUevent, end: CUevent) -> (CUresult, f32) {
    let mut milliseconds = -1.0;
    (code!(cuEventElapsedTime(&raw mut milliseconds, start, end)), milliseconds)
}

/// F501 and F502
#[test]
fn nodes_of_a_copy_run_between_events_that_time_them() {
    fresh!(nodes_of_a_copy_run_between_events_that_time_them, {
        let place = place();
        let graph = new();
        let first = spin(&place, graph, &[], 5_000_000);
        let _both = [spin(&place, graph, &[first], 0), spin(&place, graph, &[first], 8_000_000)];
        let events = [0; 4].map(|flags| -> CUevent { made!(cuEventCreate(flags)) });
        // Copied, with more nodes and edges: with no context current, and a capture in another stream that refuses
        // what is unsafe.
        let captured: CUstream = made!(cuStreamCreate(1));
        begin(captured, GLOBAL);
        let mut top = null_mut();
        ok!(cuCtxPopCurrent_v2(&raw mut top));
        let copy: CUgraph = made!(cuGraphClone(graph));
        let mut last: CUgraphNode = made!(cuGraphAddEventRecordNode(copy, null(), 0, events[0]));
        for (node, &event) in nodes(graph).into_iter().zip(&events[1..]) {
            let node: CUgraphNode = made!(cuGraphNodeFindInClone(node, copy));
            ok!(cuGraphAddDependencies(copy, &raw const last, &raw const node, 1));
            last = made!(cuGraphAddEventRecordNode(copy, &raw const node, 1, event));
        }
        ok!(cuCtxPushCurrent_v2(top));
        end(captured);
        assert_eq!(nodes(graph).len(), 3);

        let exec = instantiate(copy);
        assert_eq!(between(events[0], events[1]).0, INVALID_HANDLE);
        let gate = hold(&place);
        ok!(cuGraphLaunch(exec, place.stream));
        assert_eq!(between(events[0], events[3]).0, NOT_READY);
        gate.open();
        ok!(cuStreamSynchronize(place.stream));
        let times = [0, 1, 2].map(|at| between(events[at], events[at + 1]));
        assert_eq!(times.map(|(code, _)| code), [SUCCESS; 3]);
        assert!(times[0].1 > 4.5 && times[2].1 > 7.2, "{times:?}");
        let (_, all) = between(events[0], events[3]);
        assert!((all - times.iter().map(|time| time.1).sum::<f32>()).abs() < 0.1, "{times:?}");
        ok!(cuGraphExecDestroy(exec));
        ok!(cuGraphDestroy(copy));
    });
}

/// F503
#[test]
fn the_kernel_of_a_node_has_a_name() {
    has!(cuFuncGetName);
    fresh!(the_kernel_of_a_node_has_a_name, {
        let place = place();
        ok!(cuStreamBeginCapture_v2(place.stream, RELAXED));
        assert_eq!(launch(place.kernel(c"spin"), place.stream, &[0]), SUCCESS);
        let captured = end(place.stream);
        let graph = new();
        spin(&place, graph, &[], 0);
        let mut top = null_mut();
        ok!(cuCtxPopCurrent_v2(&raw mut top));
        for node in [nodes(captured)[0], nodes(graph)[0]] {
            let mut params: CUDA_KERNEL_NODE_PARAMS = all_zeros();
            ok!(cuGraphKernelNodeGetParams_v2(node, &raw mut params));
            assert!(!params.func.is_null());
            let name = made!(newer cuFuncGetName(params.func));
            // SAFETY: a string of the module, which is loaded.
            assert_eq!(unsafe { CStr::from_ptr(name) }, c"spin");
        }
        ok!(cuCtxPushCurrent_v2(top));
    });
}

/// `meet(words)`: counts itself in the first word and waits for another one there, for as many nanoseconds as the words after
/// say. In the second word those are counted that met one.
const MEET: &CStr = c"
.version 7.0
.target sm_52
.address_size 64
.visible .entry meet(.param .u64 words)
{
    .reg .pred %p<3>;
    .reg .b32 %r<3>;
    .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [words];
    cvta.to.global.u64 %rd1, %rd1;
    ld.global.u64 %rd2, [%rd1 + 8];
    atom.global.add.u32 %r1, [%rd1], 1;
    mov.u64 %rd3, %globaltimer;
again:
    ld.volatile.global.u32 %r2, [%rd1];
    setp.ge.u32 %p1, %r2, 2;
    @%p1 bra met;
    mov.u64 %rd4, %globaltimer;
    sub.u64 %rd5, %rd4, %rd3;
    setp.lt.u64 %p2, %rd5, %rd2;
    @%p2 bra again;
    ret;
met:
    atom.global.add.u32 %r1, [%rd1 + 4], 1;
    ret;
}
";

/// F504
#[test]
fn graphs_of_one_definition_run_at_the_same_time() {
    fresh!(graphs_of_one_definition_run_at_the_same_time, {
        let place = place();
        let module: CUmodule = made!(cuModuleLoadData(MEET.as_ptr().cast()));
        ok!(cuStreamBeginCapture_v2(place.stream, RELAXED));
        assert_eq!(launch(kernel(module, c"meet"), place.stream, &[place.memory]), SUCCESS);
        let graph = end(place.stream);
        let copy: CUgraph = made!(cuGraphClone(graph));
        let (one, two) = (instantiate(graph), instantiate(copy));
        ok!(cuGraphDestroy(copy));
        ok!(cuGraphDestroy(graph));
        let other: CUstream = made!(cuStreamCreate(1));
        // How many met another one, that waited for it so long.
        let run = |second: CUgraphExec, time: Duration| {
            let words = [0, time.as_nanos() as u64];
            ok!(cuMemcpyHtoD_v2(place.memory, words.as_ptr().cast(), 16));
            ok!(cuCtxSynchronize());
            ok!(cuGraphLaunch(one, place.stream));
            ok!(cuGraphLaunch(second, other));
            ok!(cuStreamSynchronize(place.stream));
            ok!(cuStreamSynchronize(other));
            let mut counts = [0_u32; 2];
            ok!(cuMemcpyDtoH_v2((&raw mut counts).cast(), place.memory, 8));
            assert_eq!(counts[0], 2);
            counts[1]
        };
        run(two, LONG); // which brings both to the device
        assert_eq!(run(two, HANG), 2, "apart");
        assert_eq!(run(one, LONG), 1, "alone");
    });
}

/// F568
#[test]
fn a_device_tells_and_gets_back_the_memory_of_graphs() {
    fresh!(a_device_tells_and_gets_back_the_memory_of_graphs, {
        let (place, device) = (place(), device());
        let attributes = [0, 1, 2, 3].map(CUgraphMem_attribute);
        let get = |attribute| {
            let mut bytes = 77_u64;
            let to = (&raw mut bytes).cast();
            (code!(cuDeviceGetGraphMemAttribute(device, attribute, to)), bytes)
        };
        let set = |attribute, mut bytes: u64| {
            let from = (&raw mut bytes).cast();
            code!(cuDeviceSetGraphMemAttribute(device, attribute, from))
        };
        // Used and reserved, each now and at most.
        let told = || attributes.map(|attribute| get(attribute).1);
        let mut params: CUDA_MEM_ALLOC_NODE_PARAMS = all_zeros();
        params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
        params.poolProps.location.r#type = CU_MEM_LOCATION_TYPE_DEVICE;
        params.bytesize = 1000;
        let graph = new();
        let node: CUgraphNode = {
            let mut node = null_mut();
            ok!(cuGraphAddMemAllocNode(&raw mut node, graph, null(), 0, &raw mut params));
            node
        };
        let _free: CUgraphNode =
            made!(cuGraphAddMemFreeNode(graph, &raw const node, 1, params.dptr));
        let exec: CUgraphExec = made!(cuGraphInstantiateWithFlags(graph, 0));
        assert_eq!(told(), [0; 4]);
        for _ in 0..2 {
            ok!(cuGraphLaunch(exec, place.stream));
            ok!(cuStreamSynchronize(place.stream));
            assert_eq!(told(), [32 << 20; 4]);
        }
        ok!(cuGraphExecDestroy(exec));
        assert_eq!(told(), [32 << 20; 4]);
        ok!(cuDeviceGraphMemTrim(device));
        assert_eq!(told(), [0, 32 << 20, 0, 32 << 20]);
        for attribute in attributes {
            let high = [1, 3].contains(&attribute.0);
            assert_eq!(set(attribute, 5), INVALID_VALUE);
            assert_eq!(set(attribute, 0), if high { SUCCESS } else { INVALID_VALUE });
        }
        assert_eq!(told(), [0; 4]);
        let other = CUgraphMem_attribute(4);
        assert_eq!((get(other), set(other, 0)), ((INVALID_VALUE, 77), INVALID_VALUE));
        let none = null_mut::<c_void>();
        assert_eq!(code!(cuDeviceGetGraphMemAttribute(device, attributes[0], none)), INVALID_VALUE);
        assert_eq!(code!(cuDeviceSetGraphMemAttribute(device, attributes[1], none)), INVALID_VALUE);
        each_gives!(INVALID_DEVICE; { cuDeviceGraphMemTrim(99); });
        // Needs no context, and does not mind faults.
        assert_eq!(pop(), place.context);
        assert_eq!(told(), [0; 4]);
        ok!(cuCtxPushCurrent_v2(place.context));
        assert_eq!(launch(place.kernel(c"stop_here"), place.stream, &[]), SUCCESS);
        assert_eq!(code!(cuStreamSynchronize(place.stream)), LAUNCH_FAILED);
        assert_eq!(told(), [0; 4]);
        ok!(cuDeviceGraphMemTrim(device));
    });
}
