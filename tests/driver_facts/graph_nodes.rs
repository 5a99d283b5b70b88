//! The nodes of graphs: child graphs, events, memory, and changes of single nodes: F212 to F220.

use crate::fresh;
use crate::raw::*;
use cuscope::ffi::*;
use std::ffi::{CString, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};

const NOT_SUPPORTED: CUresult = CUDA_ERROR_NOT_SUPPORTED;

fn new() -> CUgraph {
    made!(cuGraphCreate(0))
}

fn empty(graph: CUgraph) -> CUgraphNode {
    made!(cuGraphAddEmptyNode(graph, null(), 0))
}

/// A fill of some words.
fn words(at: CUdeviceptr, value: u32, count: usize) -> CUDA_MEMSET_NODE_PARAMS {
    CUDA_MEMSET_NODE_PARAMS { dst: at, pitch: 0, value, elementSize: 4, width: count, height: 1 }
}

fn fill(graph: CUgraph, place: &Place, value: u32) -> CUgraphNode {
    let params = words(place.memory, value, 1);
    made!(cuGraphAddMemsetNode(graph, null(), 0, &raw const params, place.context))
}

fn row(to: CUdeviceptr, from: CUdeviceptr, bytes: usize) -> CUDA_MEMCPY3D {
    let mut params: CUDA_MEMCPY3D = all_zeros();
    (params.srcMemoryType, params.srcDevice) = (CU_MEMORYTYPE_DEVICE, from);
    (params.dstMemoryType, params.dstDevice) = (CU_MEMORYTYPE_DEVICE, to);
    (params.WidthInBytes, params.Height, params.Depth) = (bytes, 1, 1);
    params
}

fn instantiated(graph: CUgraph) -> CUgraphExec {
    made!(cuGraphInstantiateWithFlags(graph, 0))
}

fn instantiate(graph: CUgraph) -> CUresult {
    let mut exec = null_mut();
    code!(cuGraphInstantiateWithFlags(&raw mut exec, graph, 0))
}

/// The first word, once the graph has run.
fn run(exec: CUgraphExec, place: &Place) -> u32 {
    ok!(cuGraphLaunch(exec, place.stream));
    ok!(cuStreamSynchronize(place.stream));
    word(place.memory)
}

fn word(at: CUdeviceptr) -> u32 {
    let mut value = 0_u32;
    ok!(cuMemcpyDtoH_v2((&raw mut value).cast(), at, 4));
    value
}

fn allocation(bytes: usize) -> CUDA_MEM_ALLOC_NODE_PARAMS {
    let mut params: CUDA_MEM_ALLOC_NODE_PARAMS = all_zeros();
    params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    params.poolProps.location.r#type = CU_MEM_LOCATION_TYPE_DEVICE;
    params.bytesize = bytes;
    params
}

fn alloc(graph: CUgraph, bytes: usize) -> (CUgraphNode, CUdeviceptr) {
    let mut params = allocation(bytes);
    let node = made!(cuGraphAddMemAllocNode(graph, null(), 0, &raw mut params));
    (node, params.dptr)
}

/// F212
#[test]
fn a_child_graph_is_a_copy_that_its_node_owns() {
    let place = place();
    let (child, graph) = (new(), new());
    let inner = fill(child, &place, 7);
    let mut node = null_mut();
    each_gives!(INVALID_VALUE; {
        cuGraphAddChildGraphNode(&raw mut node, graph, null(), 0, null_mut());
        cuGraphAddChildGraphNode(null_mut(), graph, null(), 0, child);
    });
    ok!(cuGraphAddChildGraphNode(&raw mut node, graph, null(), 0, child));
    let copy = graph_of(node);
    assert_ne!(copy, child);
    let other = empty(graph);
    let mut out = null_mut();
    each_gives!(INVALID_VALUE; {
        cuGraphChildGraphNodeGetGraph(node, null_mut());
        cuGraphChildGraphNodeGetGraph(null_mut(), &raw mut out);
        cuGraphChildGraphNodeGetGraph(other, &raw mut out);
    });
    // It is neither instantiated nor added, but copied.
    assert_eq!(instantiate(copy), NOT_SUPPORTED);
    let mut added = null_mut();
    let code = code!(cuGraphAddChildGraphNode(&raw mut added, graph, null(), 0, copy));
    assert_eq!(code, NOT_SUPPORTED);
    let _cloned: CUgraph = made!(cuGraphClone(copy));
    let _found: CUgraphNode = made!(cuGraphNodeFindInClone(inner, copy));
    assert_eq!(run(instantiated(graph), &place), 7);
    place.destroy();
}

/// Two fills of words, one after the other unless they are side by side.
fn two_fills(to: [CUdeviceptr; 2], value: u32, side_by_side: bool) -> CUgraph {
    let graph = new();
    let (first, second) = (words(to[0], value, 1), words(to[1], value, 1));
    let context = current();
    let first = made!(cuGraphAddMemsetNode(graph, null(), 0, &raw const first, context));
    let count = usize::from(!side_by_side);
    let _second: CUgraphNode =
        made!(cuGraphAddMemsetNode(graph, &raw const first, count, &raw const second, context));
    graph
}

/// The graph of a child graph node.
fn graph_of(child: CUgraphNode) -> CUgraph {
    let mut graph = null_mut();
    ok!(cuGraphChildGraphNodeGetGraph(child, &raw mut graph));
    graph
}

/// F573
#[test]
fn a_child_graph_is_changed_to_another_one() {
    has!(cuGraphNodeSetParams, cuGraphExecNodeSetParams);
    // Alone, since other threads do what a capture refuses.
    fresh!(a_child_graph_is_changed_to_another_one, {
        let place = place();
        let (a, b, c) = (place.memory, place.memory + 4, place.memory + 8);
        let graph = new();
        let node = made!(cuGraphAddChildGraphNode(graph, null(), 0, two_fills([a, b], 7, false)));
        let exec = instantiated(graph);
        let set = |node, to| code!(cuGraphExecChildGraphNodeSetParams(exec, node, to));
        let gives = |exec, values: [u32; 3]| {
            ok!(cuMemsetD32Async(a, 0, 3, place.stream));
            ok!(cuGraphLaunch(exec, place.stream));
            ok!(cuStreamSynchronize(place.stream));
            assert_eq!([a, b, c].map(word), values);
        };
        gives(exec, [7, 7, 0]);
        // The same nodes, also for other memory. They are copied.
        let other = two_fills([a, c], 5, false);
        assert_eq!(set(node, other), SUCCESS);
        ok!(cuGraphDestroy(other));
        gives(exec, [5, 0, 5]);
        // The definition is as it was.
        gives(instantiated(graph), [7, 7, 0]);
        // Other nodes or edges: nothing changes.
        let three = two_fills([a, b], 9, false);
        empty(three);
        let [kind, rows] = [new(), new()];
        let first = fill(kind, &place, 9);
        let _last: CUgraphNode = made!(cuGraphAddEmptyNode(kind, &raw const first, 1));
        let mut params = words(a, 9, 1);
        (params.height, params.pitch) = (2, 16);
        let first = made!(cuGraphAddMemsetNode(rows, null(), 0, &raw const params, place.context));
        let _last: CUgraphNode = made!(cuGraphAddMemsetNode(
            rows,
            &raw const first,
            1,
            &raw const params,
            place.context
        ));
        for other in [three, kind, rows, new(), graph, two_fills([a, b], 9, true)] {
            assert_eq!(set(node, other), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
        }
        gives(exec, [5, 0, 5]);
        let elsewhere = new();
        let good = two_fills([a, b], 6, false);
        let of_another = made!(cuGraphAddChildGraphNode(elsewhere, null(), 0, good));
        assert_eq!(set(of_another, good), INVALID_VALUE);
        assert_eq!(set(empty(graph), good), INVALID_VALUE);
        assert_eq!(set(null_mut(), good), INVALID_VALUE);
        assert_eq!(set(node, null_mut()), INVALID_VALUE);
        // With no context, and while another stream is under capture.
        let stream = place.stream;
        ok!(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
        pop();
        assert_eq!(set(node, good), SUCCESS);
        ok!(cuCtxPushCurrent_v2(place.context));
        let mut captured = null_mut();
        ok!(cuStreamEndCapture(stream, &raw mut captured));
        gives(exec, [6, 6, 0]);
        // A graph that is that of a child graph node itself.
        let inner = graph_of(node);
        assert_eq!(set(node, inner), SUCCESS);
        gives(exec, [7, 7, 0]);

        // By the functions for nodes of any kind.
        let mut any: CUgraphNodeParams = all_zeros();
        any.r#type = CU_GRAPH_NODE_TYPE_GRAPH;
        any.anonymous.graph.graph = good;
        ok!(newer cuGraphExecNodeSetParams(exec, node, &raw mut any));
        gives(exec, [6, 6, 0]);
        any.anonymous.graph.graph = three;
        ok!(newer cuGraphNodeSetParams(node, &raw mut any));
        assert_ne!(graph_of(node), inner);
        gives(instantiated(graph), [9, 9, 0]);
        // A graph that was instantiated before has the nodes of that time.
        assert_eq!(set(node, three), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
        assert_eq!(set(node, two_fills([a, c], 4, false)), SUCCESS);
        gives(exec, [4, 0, 4]);
        let (kept, _) = alloc(graph, 16);
        let code = newer!(cuGraphNodeSetParams(node, &raw mut any));
        assert_eq!(code, NOT_SUPPORTED, "the graph allocates");
        any.r#type = CU_GRAPH_NODE_TYPE_MEM_ALLOC;
        assert_eq!(newer!(cuGraphNodeSetParams(kept, &raw mut any)), NOT_SUPPORTED);
        place.destroy();
    });
}

/// F574
#[test]
fn one_function_changes_nodes_of_most_kinds() {
    has!(cuGraphNodeSetParams, cuGraphExecNodeSetParams);
    let place = place();
    let (a, b) = (place.memory, place.memory + 4);
    let graph = new();
    let node = fill(graph, &place, 7);
    let copied = row(b, a, 4);
    let copy =
        made!(cuGraphAddMemcpyNode(graph, &raw const node, 1, &raw const copied, place.context));
    let (nothing, exec) = (empty(graph), instantiated(graph));
    let mut any: CUgraphNodeParams = all_zeros();
    any.r#type = CU_GRAPH_NODE_TYPE_MEMSET;
    any.anonymous.memset = CUDA_MEMSET_NODE_PARAMS_v2 {
        dst: a,
        pitch: 0,
        value: 5,
        elementSize: 4,
        width: 1,
        height: 1,
        ctx: place.context,
    };
    ok!(newer cuGraphExecNodeSetParams(exec, node, &raw mut any));
    assert_eq!((run(exec, &place), word(b)), (5, 5));
    any.anonymous.memset.value = 3;
    ok!(newer cuGraphNodeSetParams(node, &raw mut any));
    assert_eq!((run(exec, &place), run(instantiated(graph), &place)), (5, 3));
    // Each kind has its own parameters, and what is reserved is 0.
    let each = |node, any: &mut CUgraphNodeParams| {
        let any = &raw mut *any;
        let defined = newer!(cuGraphNodeSetParams(node, any));
        (defined, newer!(cuGraphExecNodeSetParams(exec, node, any)))
    };
    const REFUSED: (CUresult, CUresult) = (INVALID_VALUE, INVALID_VALUE);
    assert_eq!(each(copy, &mut any), REFUSED);
    assert_eq!(each(nothing, &mut any), REFUSED);
    assert_eq!(each(null_mut(), &mut any), REFUSED);
    any.reserved0[1] = 1;
    assert_eq!(each(node, &mut any), REFUSED);
    (any.reserved0[1], any.reserved2) = (0, 1);
    assert_eq!(each(node, &mut any), REFUSED);
    (any.reserved2, any.r#type) = (0, CUgraphNodeType(99));
    assert_eq!(each(node, &mut any), REFUSED);
    any = all_zeros();
    any.r#type = CU_GRAPH_NODE_TYPE_EMPTY;
    assert_eq!(each(nothing, &mut any), (SUCCESS, SUCCESS));
    any.r#type = CU_GRAPH_NODE_TYPE_MEMCPY;
    any.anonymous.memcpy.copyParams = row(b + 4, a, 4);
    any.anonymous.memcpy.copyCtx = place.context;
    assert_eq!(each(copy, &mut any), (SUCCESS, SUCCESS));
    assert_eq!((run(exec, &place), word(b + 4)), (5, 5));
    place.destroy();
}

/// F213
#[test]
fn memory_of_a_graph_is_named_before_it_is_there() {
    let place = place();
    let graph = new();
    let mut node = null_mut();
    let mut asked = |change: fn(&mut CUDA_MEM_ALLOC_NODE_PARAMS)| {
        let mut params = allocation(16);
        change(&mut params);
        code!(cuGraphAddMemAllocNode(&raw mut node, graph, null(), 0, &raw mut params))
    };
    assert_eq!(asked(|params| params.bytesize = 0), INVALID_VALUE);
    assert_eq!(
        asked(|params| params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_INVALID),
        INVALID_VALUE
    );
    assert_eq!(asked(|params| params.poolProps.location.anonymous.id = 77), INVALID_VALUE);
    assert_eq!(
        asked(|params| params.poolProps.location.r#type = CU_MEM_LOCATION_TYPE_INVALID),
        INVALID_VALUE
    );
    assert_eq!(asked(|params| params.poolProps.reserved[0] = 1), INVALID_VALUE);
    assert_eq!(asked(|params| params.bytesize = 1 << 50), OUT_OF_MEMORY);
    let handles = |params: &mut CUDA_MEM_ALLOC_NODE_PARAMS| {
        params.poolProps.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    };
    assert_eq!(asked(handles), NOT_SUPPORTED);
    let (a, memory) = alloc(graph, 1000);
    let mut params = allocation(0);
    ok!(cuGraphMemAllocNodeGetParams(a, &raw mut params));
    assert_eq!((params.dptr, params.bytesize), (memory, 1000));
    // Nodes may name what it has, of whichever graph; calls may not.
    let set = words(memory, 42, 250);
    let set: CUgraphNode =
        made!(cuGraphAddMemsetNode(graph, &raw const a, 1, &raw const set, place.context));
    let long = words(memory, 42, 251);
    let code = code!(cuGraphAddMemsetNode(
        &raw mut node,
        graph,
        &raw const a,
        1,
        &raw const long,
        place.context
    ));
    assert_eq!(code, INVALID_VALUE);
    let short = words(memory, 42, 1);
    let _elsewhere: CUgraphNode =
        made!(cuGraphAddMemsetNode(new(), null(), 0, &raw const short, place.context));
    let copy = row(place.memory, memory, 8);
    let copy: CUgraphNode =
        made!(cuGraphAddMemcpyNode(graph, &raw const set, 1, &raw const copy, place.context));
    let mut base = 0;
    assert_eq!(code!(cuMemGetAddressRange_v2(&raw mut base, null_mut(), memory)), NOT_FOUND);
    // Frees: of what a node allocates, at its start, once.
    each_gives!(INVALID_VALUE; {
        cuGraphAddMemFreeNode(&raw mut node, graph, &raw const copy, 1, place.memory);
        cuGraphAddMemFreeNode(&raw mut node, graph, &raw const copy, 1, 0);
        cuGraphAddMemFreeNode(&raw mut node, graph, &raw const copy, 1, memory + 4);
    });
    let free: CUgraphNode = made!(cuGraphAddMemFreeNode(graph, &raw const copy, 1, memory));
    let mut freed = 0;
    ok!(cuGraphMemFreeNodeGetParams(free, &raw mut freed));
    assert_eq!(freed, memory);
    each_gives!(INVALID_VALUE; {
        cuGraphAddMemFreeNode(&raw mut node, graph, &raw const free, 1, memory);
        cuGraphAddMemsetNode(&raw mut node, graph, &raw const free, 1, &raw const short, place.context);
        cuGraphMemFreeNodeGetParams(a, &raw mut freed);
        cuGraphMemAllocNodeGetParams(free, &raw mut params);
    });
    let exec = instantiated(graph);
    assert_eq!((run(exec, &place), run(exec, &place)), (42, 42));
    let mut value = 0_u32;
    assert_eq!(code!(cuMemcpyDtoH_v2((&raw mut value).cast(), memory, 4)), INVALID_VALUE);
    place.destroy();
}

/// F214
#[test]
fn events_are_recorded_and_waited_for_by_graphs() {
    let place = place();
    let [a, b]: [CUevent; 2] = [2; 2].map(|flags| made!(cuEventCreate(flags)));
    let graph = new();
    let mut node = null_mut();
    each_gives!(INVALID_VALUE; {
        cuGraphAddEventRecordNode(&raw mut node, graph, null(), 0, null_mut());
        cuGraphAddEventWaitNode(&raw mut node, graph, null(), 0, null_mut());
        cuGraphAddEventRecordNode(null_mut(), graph, null(), 0, a);
    });
    let record: CUgraphNode = made!(cuGraphAddEventRecordNode(graph, null(), 0, a));
    let wait: CUgraphNode = made!(cuGraphAddEventWaitNode(graph, &raw const record, 1, b));
    let mut event = null_mut();
    ok!(cuGraphEventRecordNodeGetEvent(record, &raw mut event));
    assert_eq!(event, a);
    ok!(cuGraphEventWaitNodeGetEvent(wait, &raw mut event));
    assert_eq!(event, b);
    let exec = instantiated(graph);
    ok!(cuGraphLaunch(exec, place.stream));
    ok!(cuEventSynchronize(a));
    // Events of other contexts: added, but not in the place of one.
    let there = Place::new();
    ok!(cuCtxPushCurrent_v2(there.context));
    let far: CUevent = made!(cuEventCreate(2));
    let mut top = null_mut();
    ok!(cuCtxPopCurrent_v2(&raw mut top));
    let both = new();
    let _record: CUgraphNode = made!(cuGraphAddEventRecordNode(both, null(), 0, far));
    let _wait: CUgraphNode = made!(cuGraphAddEventWaitNode(both, null(), 0, far));
    ok!(cuGraphLaunch(instantiated(both), place.stream));
    ok!(cuStreamSynchronize(place.stream));
    each_gives!(INVALID_VALUE; {
        cuGraphEventRecordNodeGetEvent(wait, &raw mut event);
        cuGraphEventRecordNodeGetEvent(record, null_mut());
        cuGraphEventRecordNodeSetEvent(record, null_mut());
        cuGraphEventRecordNodeSetEvent(wait, a);
        cuGraphExecEventRecordNodeSetEvent(exec, wait, b);
        cuGraphExecEventRecordNodeSetEvent(exec, record, null_mut());
        cuGraphExecEventRecordNodeSetEvent(exec, record, far);
        cuGraphExecEventWaitNodeSetEvent(exec, wait, null_mut());
    });
    each_gives!(SUCCESS; {
        cuGraphExecEventRecordNodeSetEvent(exec, record, b);
        cuGraphExecEventWaitNodeSetEvent(exec, wait, a);
        cuGraphEventRecordNodeSetEvent(record, b);
        cuGraphEventWaitNodeSetEvent(wait, a);
    });
    ok!(cuGraphLaunch(exec, place.stream));
    ok!(cuStreamSynchronize(place.stream));
    there.destroy();
    place.destroy();
}

/// F215
#[test]
fn a_graph_that_allocates_is_one_of_its_kind() {
    let place = place();
    let graph = new();
    let (a, memory) = alloc(graph, 1000);
    let other = empty(graph);
    ok!(cuGraphAddDependencies(graph, &raw const a, &raw const other, 1));
    each_gives!(NOT_SUPPORTED; {
        cuGraphRemoveDependencies(graph, &raw const a, &raw const other, 1);
        cuGraphDestroyNode(a);
    });
    let (mut copy, mut node) = (null_mut(), null_mut());
    each_gives!(NOT_SUPPORTED; {
        cuGraphClone(&raw mut copy, graph);
        cuGraphAddChildGraphNode(&raw mut node, new(), null(), 0, graph);
    });
    let exec = instantiated(graph);
    assert_eq!(instantiate(graph), NOT_SUPPORTED);
    let mut params: CUDA_GRAPH_INSTANTIATE_PARAMS = all_zeros();
    let mut second = null_mut();
    let code = code!(cuGraphInstantiateWithParams(&raw mut second, graph, &raw mut params));
    assert_eq!((code, params.result_out), (NOT_SUPPORTED, CUDA_GRAPH_INSTANTIATE_ERROR));
    // Memory that a launch leaves allocated is like other memory, until it is freed; before that it is not launched
    // again.
    ok!(cuGraphLaunch(exec, place.stream));
    ok!(cuStreamSynchronize(place.stream));
    ok!(cuMemsetD32_v2(memory, 6, 4));
    assert_eq!(word(memory), 6);
    assert_eq!(code!(cuGraphLaunch(exec, place.stream)), INVALID_VALUE);
    ok!(cuMemFreeAsync(memory, place.stream));
    ok!(cuGraphLaunch(exec, place.stream));
    ok!(cuStreamSynchronize(place.stream));
    ok!(cuMemFree_v2(memory));
    assert_eq!(code!(cuMemFree_v2(memory)), INVALID_VALUE);
    let mut info: CUgraphExecUpdateResultInfo = all_zeros();
    ok!(cuGraphExecUpdate_v2(exec, graph, &raw mut info));
    // A graph that uses and frees what it allocates is not updated by one that does so elsewhere.
    let [(here, _), (there, _)] = [(); 2].map(|()| {
        let graph = new();
        let (a, memory) = alloc(graph, 1000);
        let set = words(memory, 5, 250);
        let set: CUgraphNode =
            made!(cuGraphAddMemsetNode(graph, &raw const a, 1, &raw const set, place.context));
        let copy = row(place.memory, memory, 4);
        let copy: CUgraphNode =
            made!(cuGraphAddMemcpyNode(graph, &raw const set, 1, &raw const copy, place.context));
        let free: CUgraphNode = made!(cuGraphAddMemFreeNode(graph, &raw const copy, 1, memory));
        (graph, free)
    });
    let elsewhere = instantiated(here);
    assert_eq!(run(elsewhere, &place), 5);
    let code = code!(cuGraphExecUpdate_v2(elsewhere, there, &raw mut info));
    assert_eq!(code, CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    assert_eq!(info.result, CU_GRAPH_EXEC_UPDATE_ERROR);
    // Once it is gone there may be another one, also one that frees what it left.
    ok!(cuGraphExecDestroy(exec));
    let exec: CUgraphExec = made!(cuGraphInstantiateWithFlags(graph, 1));
    for _ in 0..2 {
        ok!(cuGraphLaunch(exec, place.stream));
        ok!(cuStreamSynchronize(place.stream));
    }
    // Another graph may free it, once.
    let frees = new();
    let _free: CUgraphNode = made!(cuGraphAddMemFreeNode(frees, null(), 0, memory));
    let frees = instantiated(frees);
    ok!(cuGraphLaunch(frees, place.stream));
    ok!(cuStreamSynchronize(place.stream));
    assert_eq!(code!(cuGraphLaunch(frees, place.stream)), INVALID_VALUE);
    ok!(cuStreamSynchronize(place.stream));
    let mut bytes = 0_u64;
    let to = (&raw mut bytes).cast::<c_void>();
    each_gives!(INVALID_DEVICE; {
        cuDeviceGetGraphMemAttribute(99, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, to);
        cuDeviceSetGraphMemAttribute(99, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, to);
        cuDeviceGraphMemTrim(99);
    });
    each_gives!(INVALID_VALUE; {
        cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, null_mut());
        cuDeviceGetGraphMemAttribute(0, CUgraphMem_attribute(4), to);
        cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, to);
        cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, null_mut());
    });
    ok!(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, to));
    assert!(bytes >= 1000);
    assert_eq!(
        code!(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, to)),
        INVALID_VALUE
    );
    bytes = 0;
    let to = (&raw mut bytes).cast::<c_void>();
    ok!(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, to));
    ok!(cuDeviceGraphMemTrim(0));
    place.destroy();
}

/// F216
#[test]
fn a_node_of_what_can_run_is_changed_or_switched_off() {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    unsafe extern "C" fn call(by: *mut c_void) {
        CALLS.fetch_add(by.addr() as u32, Ordering::Relaxed);
    }
    let place = place();
    let graph = new();
    let (set, nothing) = (fill(graph, &place, 4), empty(graph));
    let copied = row(place.memory + 64, place.memory, 4);
    let copy: CUgraphNode =
        made!(cuGraphAddMemcpyNode(graph, &raw const set, 1, &raw const copied, place.context));
    let mut function =
        CUDA_HOST_NODE_PARAMS { r#fn: Some(call), userData: std::ptr::without_provenance_mut(1) };
    let host: CUgraphNode = made!(cuGraphAddHostNode(graph, null(), 0, &raw const function));
    let mut told = words(0, 0, 0);
    ok!(cuGraphMemsetNodeGetParams(set, &raw mut told));
    assert_eq!(
        (told.dst, told.value, told.elementSize, told.width, told.height),
        (place.memory, 4, 4, 1, 1)
    );
    let mut row_told: CUDA_MEMCPY3D = all_zeros();
    ok!(cuGraphMemcpyNodeGetParams(copy, &raw mut row_told));
    assert_eq!((row_told.srcDevice, row_told.WidthInBytes), (place.memory, 4));
    let mut call_told: CUDA_HOST_NODE_PARAMS = all_zeros();
    ok!(cuGraphHostNodeGetParams(host, &raw mut call_told));
    assert_eq!(call_told.userData, function.userData);
    let exec = instantiated(graph);
    let mut params = words(place.memory, 6, 1);
    let (context, none) = (place.context, null_mut());
    each_gives!(SUCCESS; {
        cuGraphExecMemsetNodeSetParams(exec, set, &raw const params, context);
        cuGraphExecMemsetNodeSetParams(exec, set, &raw const params, none);
        cuGraphExecMemcpyNodeSetParams(exec, copy, &raw const copied, none);
    });
    assert_eq!(run(exec, &place), 6);
    (params.height, params.pitch) = (2, 512);
    let no_function: CUDA_HOST_NODE_PARAMS = all_zeros();
    each_gives!(INVALID_VALUE; {
        cuGraphExecMemsetNodeSetParams(exec, set, &raw const params, context);
        cuGraphExecMemsetNodeSetParams(exec, copy, &raw const told, context);
        cuGraphExecMemsetNodeSetParams(exec, set, null(), context);
        cuGraphExecMemsetNodeSetParams(exec, null_mut(), &raw const told, context);
        cuGraphExecMemsetNodeSetParams(null_mut(), set, &raw const told, context);
        cuGraphExecMemcpyNodeSetParams(exec, set, &raw const copied, context);
        cuGraphExecMemcpyNodeSetParams(exec, copy, null(), context);
        cuGraphExecHostNodeSetParams(exec, nothing, &raw const function);
        cuGraphExecHostNodeSetParams(exec, host, &raw const no_function);
        cuGraphMemsetNodeGetParams(nothing, &raw mut told);
        cuGraphMemsetNodeSetParams(nothing, &raw const told);
        cuGraphMemcpyNodeGetParams(nothing, &raw mut row_told);
        cuGraphMemcpyNodeSetParams(copy, null());
        cuGraphHostNodeGetParams(nothing, &raw mut call_told);
        cuGraphHostNodeSetParams(host, &raw const no_function);
    });
    let mut from_host = copied;
    let value = 3_u32;
    (from_host.srcMemoryType, from_host.srcHost) = (CU_MEMORYTYPE_HOST, (&raw const value).cast());
    assert_eq!(
        code!(cuGraphExecMemcpyNodeSetParams(exec, copy, &raw const from_host, context)),
        INVALID_VALUE
    );
    function.userData = std::ptr::without_provenance_mut(10);
    ok!(cuGraphExecHostNodeSetParams(exec, host, &raw const function));
    // Switched off, changed, and on again; any number but 0 is on.
    let mut on = 9;
    ok!(cuGraphNodeSetEnabled(exec, set, 0));
    ok!(cuGraphNodeGetEnabled(exec, set, &raw mut on));
    assert_eq!(on, 0);
    let params = words(place.memory, 8, 1);
    ok!(cuGraphExecMemsetNodeSetParams(exec, set, &raw const params, context));
    assert_eq!(run(exec, &place), 6);
    ok!(cuGraphNodeSetEnabled(exec, set, 2));
    ok!(cuGraphNodeGetEnabled(exec, set, &raw mut on));
    assert_eq!((on, run(exec, &place)), (1, 8));
    assert_eq!(CALLS.load(Ordering::Relaxed), 21);
    let elsewhere = fill(new(), &place, 1);
    each_gives!(INVALID_VALUE; {
        cuGraphNodeSetEnabled(exec, nothing, 0);
        cuGraphNodeSetEnabled(exec, host, 1);
        cuGraphNodeGetEnabled(exec, host, &raw mut on);
        cuGraphNodeSetEnabled(exec, elsewhere, 0);
        cuGraphNodeSetEnabled(exec, null_mut(), 0);
        cuGraphNodeSetEnabled(null_mut(), set, 0);
        cuGraphNodeGetEnabled(exec, set, null_mut());
    });
    place.destroy();
}

/// F217
#[test]
fn nodes_need_no_current_context_and_spoil_no_capture() {
    // Alone: what other tests wait for would be refused by the capture.
    fresh!(nodes_need_no_current_context_and_spoil_no_capture, {
        let place = place();
        let graph = new();
        let set = fill(graph, &place, 4);
        let exec = instantiated(graph);
        let other: CUstream = made!(cuStreamCreate(1));
        ok!(cuStreamBeginCapture_v2(other, CU_STREAM_CAPTURE_MODE_GLOBAL));
        let context = place.context;
        let all = || {
            let graph = new();
            let params = words(place.memory, 5, 1);
            let copied = row(place.memory + 64, place.memory, 4);
            let copy: CUgraph = made!(cuGraphClone(self::new()));
            let mut node = null_mut();
            let (a, memory) = alloc(graph, 64);
            each_gives!(SUCCESS; {
                cuGraphAddMemsetNode(&raw mut node, graph, null(), 0, &raw const params, context);
                cuGraphAddMemcpyNode(&raw mut node, graph, null(), 0, &raw const copied, context);
                cuGraphAddChildGraphNode(&raw mut node, graph, null(), 0, copy);
                cuGraphAddMemFreeNode(&raw mut node, graph, &raw const a, 1, memory);
                cuGraphExecMemsetNodeSetParams(exec, set, &raw const params, context);
                cuGraphNodeSetEnabled(exec, set, 1);
                cuDeviceGraphMemTrim(0);
                cuGraphDestroy(copy);
            });
        };
        all();
        let mut top = null_mut();
        ok!(cuCtxPopCurrent_v2(&raw mut top));
        all();
        ok!(cuCtxPushCurrent_v2(top));
        let mut captured = null_mut();
        ok!(cuStreamEndCapture(other, &raw mut captured));
        assert_eq!(run(exec, &place), 5);
        place.destroy();
    });
}

/// F218
#[test]
fn an_instantiated_graph_keeps_the_nodes_that_it_was_made_of() {
    let place = place();
    let (first, second) = (new(), new());
    let (old, new) = (fill(first, &place, 1), fill(second, &place, 2));
    let exec = instantiated(first);
    ok!(cuGraphNodeSetEnabled(exec, old, 0));
    let mut info: CUgraphExecUpdateResultInfo = all_zeros();
    ok!(cuGraphExecUpdate_v2(exec, second, &raw mut info));
    let mut on = 9;
    ok!(cuGraphNodeGetEnabled(exec, old, &raw mut on));
    assert_eq!(on, 0, "it stays off");
    ok!(cuGraphNodeSetEnabled(exec, old, 1));
    assert_eq!(run(exec, &place), 2);
    let (context, params) = (place.context, words(place.memory, 50, 1));
    ok!(cuGraphExecMemsetNodeSetParams(exec, old, &raw const params, context));
    each_gives!(INVALID_VALUE; {
        cuGraphExecMemsetNodeSetParams(exec, new, &raw const params, context);
        cuGraphNodeSetEnabled(exec, new, 0);
    });
    // A change that is refused changes nothing.
    let nowhere = words(0, 3, 1);
    let code = code!(cuGraphExecMemsetNodeSetParams(exec, old, &raw const nowhere, context));
    assert_eq!((code, run(exec, &place)), (INVALID_VALUE, 50));
    ok!(cuGraphDestroy(first));
    let code = code!(cuGraphExecMemsetNodeSetParams(exec, new, &raw const params, context));
    assert_eq!(code, INVALID_VALUE);
    assert_eq!(run(exec, &place), 50);
    place.destroy();
}

/// The questions of a host function, and the answers.
struct Asked {
    graph: CUgraph,
    node: CUgraphNode,
    exec: CUgraphExec,
    answers: [CUresult; 8],
}

unsafe extern "C" fn ask(asked: *mut c_void) {
    // SAFETY: the one that is passed below, until the stream was waited for.
    let asked = unsafe { &mut *asked.cast::<Asked>() };
    let Asked { graph, node, exec, .. } = *asked;
    let (mut new, mut params, mut on) = (null_mut(), words(0, 0, 0), 0);
    let function = CUDA_HOST_NODE_PARAMS { r#fn: Some(ask), userData: null_mut() };
    let mut memory = allocation(16);
    asked.answers = [
        code!(cuGraphAddHostNode(&raw mut new, graph, null(), 0, &raw const function)),
        code!(cuGraphAddChildGraphNode(&raw mut new, graph, null(), 0, graph)),
        code!(cuGraphAddMemAllocNode(&raw mut new, graph, null(), 0, &raw mut memory)),
        code!(cuGraphMemsetNodeGetParams(node, &raw mut params)),
        code!(cuDeviceGraphMemTrim(0)),
        code!(cuGraphNodeSetEnabled(exec, node, 1)),
        code!(cuGraphNodeGetEnabled(exec, node, &raw mut on)),
        code!(cuGraphExecMemsetNodeSetParams(exec, node, &raw const params, null_mut())),
    ];
}

/// F219
#[test]
fn a_host_function_changes_no_nodes() {
    let place = place();
    let graph = new();
    let node = fill(graph, &place, 1);
    let exec = instantiated(graph);
    let mut asked = Asked { graph, node, exec, answers: [SUCCESS; 8] };
    ok!(cuLaunchHostFunc(place.stream, Some(ask), (&raw mut asked).cast()));
    ok!(cuStreamSynchronize(place.stream));
    let [yes, no, invalid] = [SUCCESS, NOT_PERMITTED, INVALID_VALUE];
    assert_eq!(asked.answers, [yes, no, no, no, no, invalid, invalid, invalid]);
    place.destroy();
}

/// F219
#[test]
fn before_init_some_calls_look_at_their_nodes_first() {
    fresh!(before_init_some_calls_look_at_their_nodes_first, {
        let mut params = words(0, 0, 0);
        let mut on = 0;
        each_gives!(NOT_INITIALIZED; {
            cuGraphAddMemAllocNode(null_mut(), null_mut(), null(), 0, null_mut());
            cuGraphAddMemFreeNode(null_mut(), null_mut(), null(), 0, 0);
            cuGraphMemsetNodeGetParams(null_mut(), &raw mut params);
            cuDeviceGraphMemTrim(0);
        });
        each_gives!(INVALID_VALUE; {
            cuGraphDebugDotPrint(null_mut(), null(), 0);
            cuGraphNodeSetEnabled(null_mut(), null_mut(), 0);
            cuGraphNodeGetEnabled(null_mut(), null_mut(), &raw mut on);
            cuGraphExecMemsetNodeSetParams(null_mut(), null_mut(), null(), null_mut());
            cuGraphAddEventRecordNode(null_mut(), null_mut(), null(), 0, null_mut());
        });
    });
}

/// F220
#[test]
fn a_graph_is_drawn_to_a_file() {
    let place = place();
    let graph = new();
    let _set = fill(graph, &place, 1);
    let path = crate::common::temporary("facts.dot");
    let name = CString::new(path.as_os_str().as_encoded_bytes()).unwrap();
    ok!(cuGraphDebugDotPrint(graph, name.as_ptr(), 0));
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert!(text.starts_with("digraph dot {") && text.contains("MEMSET"), "{text}");
    let (nowhere, nothing) = (c"/nonexistent/x.dot", c"");
    each_gives!(CUDA_ERROR_OPERATING_SYSTEM; {
        cuGraphDebugDotPrint(graph, nowhere.as_ptr(), 0);
        cuGraphDebugDotPrint(graph, nothing.as_ptr(), 0);
    });
    each_gives!(INVALID_VALUE; {
        cuGraphDebugDotPrint(graph, null(), 0);
        cuGraphDebugDotPrint(null_mut(), name.as_ptr(), 0);
    });
    place.destroy();
}
