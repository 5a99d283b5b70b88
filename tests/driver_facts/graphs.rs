//! Graphs that are changed, copied and instantiated in the newer ways, and what goes with them: F92 and
//! from F190 on.

use crate::fresh;
use crate::raw::*;
use cuscope::ffi::*;
use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::{null, null_mut};

fn empty(graph: CUgraph) -> CUgraphNode {
    made!(cuGraphAddEmptyNode(graph, null(), 0))
}

/// How many edges a graph has.
fn edges(graph: CUgraph) -> usize {
    let mut count = 0;
    ok!(cuGraphGetEdges(graph, null_mut(), null_mut(), &raw mut count));
    count
}

/// How many nodes a graph has.
fn nodes(graph: CUgraph) -> usize {
    let mut count = 0;
    ok!(cuGraphGetNodes(graph, null_mut(), &raw mut count));
    count
}

/// A launch of `store_value`, with the arguments that the pointers lead to.
fn store(place: &Place, arguments: &mut [*mut c_void; 2]) -> CUDA_KERNEL_NODE_PARAMS {
    let mut launch: CUDA_KERNEL_NODE_PARAMS = all_zeros();
    launch.func = place.kernel(c"store_value");
    (launch.gridDimX, launch.gridDimY, launch.gridDimZ) = (1, 1, 1);
    (launch.blockDimX, launch.blockDimY, launch.blockDimZ) = (1, 1, 1);
    launch.kernelParams = arguments.as_mut_ptr();
    launch
}

/// F191
#[test]
fn edges_are_added_and_removed_one_after_the_other() {
    let place = place();
    let graph: CUgraph = made!(cuGraphCreate(0));
    let other: CUgraph = made!(cuGraphCreate(0));
    let [a, b, c] = [graph; 3].map(empty);
    let foreign = empty(other);
    let add = |from: &[CUgraphNode], to: &[CUgraphNode]| {
        code!(cuGraphAddDependencies(graph, from.as_ptr(), to.as_ptr(), from.len()))
    };
    let remove = |from: &[CUgraphNode], to: &[CUgraphNode]| {
        code!(cuGraphRemoveDependencies(graph, from.as_ptr(), to.as_ptr(), from.len()))
    };
    assert_eq!(add(&[a], &[b]), SUCCESS);
    assert_eq!((add(&[a], &[b]), add(&[a], &[a])), (INVALID_VALUE, INVALID_VALUE));
    assert_eq!((add(&[a], &[foreign]), add(&[foreign], &[a])), (INVALID_VALUE, INVALID_VALUE));
    // All nodes are looked at first, the edges then.
    assert_eq!(add(&[b, a], &[c, foreign]), INVALID_VALUE);
    assert_eq!(edges(graph), 1);
    assert_eq!(add(&[b, b], &[c, c]), INVALID_VALUE);
    assert_eq!(edges(graph), 2);
    assert_eq!(remove(&[b, b], &[c, c]), INVALID_VALUE);
    assert_eq!(edges(graph), 1);
    assert_eq!((add(&[], &[]), remove(&[c], &[a])), (SUCCESS, INVALID_VALUE));
    each_gives!(INVALID_VALUE; {
        cuGraphAddDependencies(graph, null(), null(), 1);
        cuGraphAddDependencies(null_mut(), null(), null(), 0);
        cuGraphRemoveDependencies(other, &raw const a, &raw const b, 1);
    });
    // A cycle shows when the graph is instantiated.
    assert_eq!((add(&[b], &[c]), add(&[c], &[a])), (SUCCESS, SUCCESS));
    let mut exec = null_mut();
    assert_eq!(code!(cuGraphInstantiateWithFlags(&raw mut exec, graph, 0)), INVALID_VALUE);
    let mut params: CUDA_GRAPH_INSTANTIATE_PARAMS = all_zeros();
    let code = code!(cuGraphInstantiateWithParams(&raw mut exec, graph, &raw mut params));
    assert_eq!(code, INVALID_VALUE);
    assert_eq!(params.result_out, CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE);
    assert!(!params.hErrNode_out.is_null());
    assert_eq!(remove(&[c], &[a]), SUCCESS);
    // A node after one that was added later.
    let last = empty(graph);
    assert_eq!(add(&[last], &[a]), SUCCESS);
    let mut behind = [null_mut(); 2];
    let mut count = 2;
    ok!(cuGraphNodeGetDependentNodes(last, behind.as_mut_ptr(), &raw mut count));
    assert_eq!((count, behind), (1, [a, null_mut()]));
    let exec: CUgraphExec = made!(cuGraphInstantiateWithFlags(graph, 0));
    ok!(cuGraphLaunch(exec, place.stream));
    ok!(cuStreamSynchronize(place.stream));
    place.destroy();
}

/// F192
#[test]
fn a_node_goes_with_its_edges_and_stays_in_what_was_instantiated() {
    let place = place();
    let graph: CUgraph = made!(cuGraphCreate(0));
    let a = empty(graph);
    let b: CUgraphNode = made!(cuGraphAddEmptyNode(graph, &raw const a, 1));
    let _c: CUgraphNode = made!(cuGraphAddEmptyNode(graph, &raw const b, 1));
    let exec: CUgraphExec = made!(cuGraphInstantiateWithFlags(graph, 0));
    ok!(cuGraphDestroyNode(b));
    assert_eq!((nodes(graph), edges(graph)), (2, 0));
    assert_eq!(code!(cuGraphDestroyNode(null_mut())), INVALID_VALUE);
    ok!(cuGraphLaunch(exec, place.stream));
    ok!(cuStreamSynchronize(place.stream));

    ok!(cuStreamBeginCapture_v2(place.stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    ok!(cuMemsetD8Async(place.memory, 1, 4, place.stream));
    let (mut status, mut captured) = (CU_STREAM_CAPTURE_STATUS_NONE, null_mut());
    let (mut after, mut count) = (null(), 0);
    ok!(cuStreamGetCaptureInfo_v2(
        place.stream,
        &raw mut status,
        null_mut(),
        &raw mut captured,
        &raw mut after,
        &raw mut count,
    ));
    assert_eq!(count, 1);
    let mut all = [null_mut(); 1];
    ok!(cuGraphGetNodes(captured, all.as_mut_ptr(), &raw mut count));
    assert_eq!(code!(cuGraphDestroyNode(all[0])), CUDA_ERROR_ILLEGAL_STATE);
    let mut graph = null_mut();
    ok!(cuStreamEndCapture(place.stream, &raw mut graph));
    assert_eq!(nodes(graph), 1);
    place.destroy();
}

/// F193
#[test]
fn a_copy_of_a_graph_has_nodes_of_its_own_that_know_the_originals() {
    let place = place();
    let graph: CUgraph = made!(cuGraphCreate(0));
    let a = empty(graph);
    let b: CUgraphNode = made!(cuGraphAddEmptyNode(graph, &raw const a, 1));
    let copy: CUgraph = made!(cuGraphClone(graph));
    assert_eq!((nodes(copy), edges(copy)), (2, 1));
    let mut all = [null_mut(); 2];
    let mut count = 2;
    ok!(cuGraphGetNodes(copy, all.as_mut_ptr(), &raw mut count));
    let in_copy: CUgraphNode = made!(cuGraphNodeFindInClone(a, copy));
    assert_eq!((in_copy, in_copy == a), (all[0], false));
    let second: CUgraph = made!(cuGraphClone(copy));
    let _found: CUgraphNode = made!(cuGraphNodeFindInClone(in_copy, second));
    let other: CUgraph = made!(cuGraphCreate(0));
    let foreign = empty(other);
    let (mut node, mut none) = (null_mut(), null_mut());
    each_gives!(INVALID_VALUE; {
        cuGraphNodeFindInClone(&raw mut node, in_copy, copy);
        cuGraphNodeFindInClone(&raw mut node, foreign, copy);
        cuGraphNodeFindInClone(&raw mut node, a, graph);
        cuGraphNodeFindInClone(&raw mut node, a, second);
        cuGraphNodeFindInClone(null_mut(), a, copy);
        cuGraphNodeFindInClone(&raw mut node, null_mut(), copy);
        cuGraphNodeFindInClone(&raw mut node, a, null_mut());
        cuGraphClone(null_mut(), graph);
        cuGraphClone(&raw mut none, null_mut());
    });
    ok!(cuGraphDestroyNode(in_copy));
    assert_eq!(code!(cuGraphNodeFindInClone(&raw mut node, a, copy)), INVALID_VALUE);
    ok!(cuGraphNodeFindInClone(&raw mut node, b, copy));
    ok!(cuGraphDestroy(copy));
    assert_eq!(nodes(graph), 2);
    place.destroy();
}

/// F194
#[test]
fn a_kernel_node_tells_what_it_launches_and_can_launch_something_else() {
    let place = place();
    let graph: CUgraph = made!(cuGraphCreate(0));
    let (mut address, value) = (place.memory, Cell::new(5_u64));
    let mut arguments = [(&raw mut address).cast(), value.as_ptr().cast::<c_void>()];
    let mut launch = store(&place, &mut arguments);
    let launch = &raw mut launch;
    let node: CUgraphNode = made!(cuGraphAddKernelNode_v2(graph, null(), 0, launch));
    let other = empty(graph);

    let mut told: CUDA_KERNEL_NODE_PARAMS = all_zeros();
    ok!(cuGraphKernelNodeGetParams_v2(node, &raw mut told));
    assert_eq!(told.func, place.kernel(c"store_value"));
    assert_eq!((told.gridDimX, told.blockDimZ, told.sharedMemBytes), (1, 1, 0));
    assert_eq!((told.ctx, told.kern, told.extra), (place.context, null_mut(), null_mut()));
    // SAFETY: the driver told of two parameters.
    let second = unsafe { told.kernelParams.wrapping_add(1).read() };
    // SAFETY: where the node keeps the second parameter, eight bytes.
    assert_eq!(unsafe { second.cast::<u64>().read() }, 5);
    let first = told.kernelParams;
    ok!(cuGraphKernelNodeGetParams_v2(node, &raw mut told));
    assert_eq!(told.kernelParams, first);

    value.set(6);
    ok!(cuGraphKernelNodeSetParams_v2(node, launch));
    let exec: CUgraphExec = made!(cuGraphInstantiateWithFlags(graph, 0));
    value.set(7);
    ok!(cuGraphKernelNodeSetParams_v2(node, launch));
    let run = |exec: CUgraphExec| {
        ok!(cuGraphLaunch(exec, place.stream));
        ok!(cuStreamSynchronize(place.stream));
        place.value()
    };
    assert_eq!(run(exec), 6);
    assert_eq!(run(made!(cuGraphInstantiateWithFlags(graph, 0))), 7);
    value.set(8);
    ok!(cuGraphExecKernelNodeSetParams_v2(exec, node, launch));
    assert_eq!(run(exec), 8);

    let copy: CUgraph = made!(cuGraphClone(graph));
    let in_copy: CUgraphNode = made!(cuGraphNodeFindInClone(node, copy));
    let late: CUgraphNode = made!(cuGraphAddKernelNode_v2(graph, null(), 0, launch));
    each_gives!(INVALID_VALUE; {
        cuGraphKernelNodeGetParams_v2(other, &raw mut told);
        cuGraphKernelNodeGetParams_v2(null_mut(), &raw mut told);
        cuGraphKernelNodeGetParams_v2(node, null_mut());
        cuGraphKernelNodeSetParams_v2(other, launch);
        cuGraphKernelNodeSetParams_v2(node, null());
        cuGraphExecKernelNodeSetParams_v2(exec, other, launch);
        cuGraphExecKernelNodeSetParams_v2(exec, in_copy, launch);
        cuGraphExecKernelNodeSetParams_v2(exec, late, launch);
        cuGraphExecKernelNodeSetParams_v2(exec, null_mut(), launch);
        cuGraphExecKernelNodeSetParams_v2(null_mut(), node, launch);
        cuGraphExecKernelNodeSetParams_v2(exec, node, null());
    });
    let mut bad = store(&place, &mut arguments);
    bad.gridDimX = 0;
    assert_eq!(code!(cuGraphKernelNodeSetParams_v2(node, &raw const bad)), INVALID_VALUE);
    assert_eq!(code!(cuGraphExecKernelNodeSetParams_v2(exec, node, &raw const bad)), INVALID_VALUE);
    (bad.gridDimX, bad.func) = (1, null_mut());
    assert_eq!(code!(cuGraphKernelNodeSetParams_v2(node, &raw const bad)), INVALID_HANDLE);
    let code = code!(cuGraphExecKernelNodeSetParams_v2(exec, node, &raw const bad));
    assert_eq!(code, INVALID_HANDLE);
    place.destroy();
}

/// F535
#[test]
fn a_graph_that_the_device_launches_frees_nothing_by_itself() {
    let place = place();
    for with_node in [false, true] {
        let graph: CUgraph = made!(cuGraphCreate(0));
        if with_node {
            let _node = empty(graph);
        }
        let mut exec: CUgraphExec = null_mut();
        for flags in [5, 13] {
            let code = code!(cuGraphInstantiateWithFlags(&raw mut exec, graph, flags));
            assert_eq!(code, INVALID_VALUE, "{flags}");
        }
        assert!(exec.is_null());
        ok!(cuGraphDestroy(graph));
    }
    place.destroy();
}

/// F195
#[test]
fn an_instantiation_tells_what_came_of_it_and_an_upload_is_no_work_to_capture() {
    let place = place();
    let graph: CUgraph = made!(cuGraphCreate(0));
    let node = empty(graph);
    let with = |flags: u64, graph: CUgraph| {
        let mut params: CUDA_GRAPH_INSTANTIATE_PARAMS = all_zeros();
        (params.flags, params.hUploadStream, params.hErrNode_out) = (flags, place.stream, node);
        let mut exec: CUgraphExec = null_mut();
        let code = code!(cuGraphInstantiateWithParams(&raw mut exec, graph, &raw mut params));
        assert_eq!(exec.is_null(), code != SUCCESS);
        (code, params.result_out, params.hErrNode_out)
    };
    let none = null_mut();
    for flags in [0, 1, 2, 3, 8, 9, 10, 11] {
        assert_eq!(with(flags, graph), (SUCCESS, CUDA_GRAPH_INSTANTIATE_SUCCESS, none), "{flags}");
    }
    let unsupported = CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED;
    for flags in [4, 6, 12, 14] {
        let (code, result, node) = with(flags, graph);
        assert_eq!((code, result), (INVALID_VALUE, unsupported), "{flags}");
        assert!(!node.is_null());
    }
    for flags in [5, 7, 13, 15, 16, 32] {
        let wrong = (INVALID_VALUE, CUDA_GRAPH_INSTANTIATE_ERROR, none);
        assert_eq!(with(flags, graph), wrong, "{flags}");
    }
    let wrong = (INVALID_VALUE, CUDA_GRAPH_INSTANTIATE_ERROR, none);
    assert_eq!(with(0, null_mut()), wrong);
    let mut exec = null_mut();
    each_gives!(INVALID_VALUE; {
        cuGraphInstantiateWithParams(&raw mut exec, graph, null_mut());
        cuGraphUpload(null_mut(), place.stream);
    });

    let exec: CUgraphExec = made!(cuGraphInstantiateWithFlags(graph, 0));
    ok!(cuGraphUpload(exec, place.stream));
    ok!(cuGraphUpload(exec, null_mut()));
    ok!(cuStreamBeginCapture_v2(place.stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    let code = code!(cuGraphUpload(exec, place.stream));
    assert_eq!(code, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    let mut captured = null_mut();
    let code = code!(cuStreamEndCapture(place.stream, &raw mut captured));
    assert_eq!(code, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    assert_eq!(pop(), place.context);
    ok!(cuGraphUpload(exec, place.stream));
    assert_eq!(code!(cuGraphUpload(exec, null_mut())), INVALID_CONTEXT);
    assert_eq!(with(0, graph), (INVALID_CONTEXT, CUDA_GRAPH_INSTANTIATE_ERROR, none));
    place.destroy();
}

/// F92 F196
#[test]
fn a_kernel_tells_where_its_parameters_are() {
    let place = place();
    let function = place.kernel(c"store_value");
    let (mut offset, mut size) = (99, 99);
    let mut info = |i| {
        let code = newer!(cuFuncGetParamInfo(function, i, &raw mut offset, &raw mut size));
        (code, offset, size)
    };
    assert_eq!([info(0), info(1)], [(SUCCESS, 0, 8), (SUCCESS, 8, 8)]);
    // Past the last, nothing is written.
    assert_eq!([info(2), info(3)], [(INVALID_VALUE, 8, 8); 2]);
    let code = newer!(cuFuncGetParamInfo(function, 0, null_mut(), &raw mut size));
    assert_eq!(code, INVALID_VALUE);
    assert_eq!(newer!(cuFuncGetParamInfo(function, 1, &raw mut offset, null_mut())), SUCCESS);
    let code = newer!(cuFuncGetParamInfo(null_mut(), 0, &raw mut offset, &raw mut size));
    assert_eq!(code, INVALID_VALUE);
    assert_eq!(pop(), place.context);
    let code = newer!(cuFuncGetParamInfo(function, 0, &raw mut offset, &raw mut size));
    assert_eq!((code, offset, size), (SUCCESS, 0, 8));
    place.destroy();
}

/// F197
#[test]
fn a_launch_by_a_configuration_is_a_launch() {
    let place = place();
    let function = place.kernel(c"store_value");
    let (mut address, mut value) = (place.memory, 5_u64);
    let mut arguments = [(&raw mut address).cast::<c_void>(), (&raw mut value).cast()];
    let arguments = arguments.as_mut_ptr();
    let mut config: CUlaunchConfig = all_zeros();
    (config.gridDimX, config.gridDimY, config.gridDimZ) = (1, 1, 1);
    (config.blockDimX, config.blockDimY, config.blockDimZ) = (1, 1, 1);
    config.hStream = place.stream;
    ok!(cuLaunchKernelEx(&raw const config, function, arguments, null_mut()));
    ok!(cuStreamSynchronize(place.stream));
    assert_eq!(place.value(), 5);
    // An attribute that is to be ignored.
    let mut attribute: CUlaunchAttribute = all_zeros();
    (config.attrs, config.numAttrs) = (&raw mut attribute, 1);
    ok!(cuLaunchKernelEx(&raw const config, function, arguments, null_mut()));
    config.attrs = null_mut();
    let ex = |config: *const CUlaunchConfig, function, arguments| {
        code!(cuLaunchKernelEx(config, function, arguments, null_mut()))
    };
    assert_eq!(ex(&raw const config, function, arguments), INVALID_VALUE);
    config.numAttrs = 0;
    assert_eq!(ex(&raw const config, null_mut(), arguments), INVALID_HANDLE);
    assert_eq!(ex(&raw const config, function, null_mut()), INVALID_VALUE);
    assert_eq!(ex(null(), function, null_mut()), INVALID_VALUE);
    config.gridDimX = 0;
    assert_eq!(ex(&raw const config, function, arguments), INVALID_VALUE);
    ok!(cuStreamSynchronize(place.stream));
    place.destroy();
}

/// F198
#[test]
fn an_event_is_recorded_with_flags_and_timed_by_the_newer_name() {
    let place = place();
    let (start, end) = (place.event, made!(cuEventCreate(0)));
    let mut time = -1.0;
    let elapsed = |time: *mut f32| newer!(cuEventElapsedTime_v2(time, start, end));
    let record = |event, flags| code!(cuEventRecordWithFlags(event, place.stream, flags));
    assert_eq!(elapsed(&raw mut time), INVALID_HANDLE);
    assert_eq!((record(start, 0), record(start, 1)), (SUCCESS, CUDA_ERROR_ILLEGAL_STATE));
    assert_eq!((record(start, 2), record(start, 3)), (INVALID_VALUE, INVALID_VALUE));
    assert_eq!((record(null_mut(), 0), record(null_mut(), 2)), (INVALID_HANDLE, INVALID_HANDLE));
    assert_eq!(elapsed(&raw mut time), INVALID_HANDLE);
    assert_eq!(record(end, 0), SUCCESS);
    ok!(cuStreamSynchronize(place.stream));
    assert_eq!(elapsed(&raw mut time), SUCCESS);
    assert!(time >= 0.0);
    assert_eq!(elapsed(null_mut()), INVALID_HANDLE);
    let null_end = newer!(cuEventElapsedTime_v2(&raw mut time, start, null_mut()));
    assert_eq!(null_end, INVALID_HANDLE);
    place.destroy();
}

/// F199
#[test]
fn before_init_what_is_null_is_looked_at_first_in_some_calls() {
    fresh!(before_init_what_is_null_is_looked_at_first_in_some_calls, {
        let (none, mut graph, mut exec) = (null_mut(), null_mut(), null_mut());
        let mut params: CUDA_GRAPH_INSTANTIATE_PARAMS = all_zeros();
        let config: CUlaunchConfig = all_zeros();
        each_gives!(NOT_INITIALIZED; {
            cuEventRecordWithFlags(null_mut(), null_mut(), 0);
            cuLaunchKernelEx(&raw const config, null_mut(), null_mut(), null_mut());
            cuGraphClone(null_mut(), null_mut());
            cuGraphClone(&raw mut graph, null_mut());
            cuGraphNodeFindInClone(null_mut(), null_mut(), null_mut());
            cuGraphNodeGetDependentNodes(null_mut(), null_mut(), null_mut());
            cuGraphDestroyNode(null_mut());
            cuGraphUpload(null_mut(), null_mut());
            cuGraphInstantiateWithParams(&raw mut exec, none, &raw mut params);
        });
        each_gives!(INVALID_VALUE; {
            cuLaunchKernelEx(null(), null_mut(), null_mut(), null_mut());
            cuGraphAddDependencies(null_mut(), null(), null(), 0);
            cuGraphRemoveDependencies(null_mut(), null(), null(), 0);
            cuGraphInstantiateWithParams(null_mut(), null_mut(), null_mut());
            cuGraphKernelNodeGetParams_v2(null_mut(), null_mut());
            cuGraphKernelNodeSetParams_v2(null_mut(), null());
            cuGraphExecKernelNodeSetParams_v2(null_mut(), null_mut(), null());
        });
        let mut size = 0;
        let code = newer!(cuFuncGetParamInfo(null_mut(), 0, &raw mut size, &raw mut size));
        assert_eq!(code, INVALID_VALUE);
        let mut time = 0.0;
        let code = newer!(cuEventElapsedTime_v2(&raw mut time, null_mut(), null_mut()));
        assert_eq!(code, INVALID_HANDLE);
    });
}

/// F199
#[test]
fn after_a_fault_graphs_can_be_edited_and_not_given_work() {
    fresh!(after_a_fault_graphs_can_be_edited_and_not_given_work, {
        let place = place();
        let graph: CUgraph = made!(cuGraphCreate(0));
        let (mut address, mut value) = (place.memory, 5_u64);
        let mut arguments = [(&raw mut address).cast(), (&raw mut value).cast::<c_void>()];
        let mut launched = store(&place, &mut arguments);
        let node: CUgraphNode =
            made!(cuGraphAddKernelNode_v2(graph, null(), 0, &raw const launched));
        let exec: CUgraphExec = made!(cuGraphInstantiateWithFlags(graph, 0));
        assert_eq!(launch(place.kernel(c"stop_here"), place.stream, &[]), SUCCESS);
        assert_eq!(code!(cuCtxSynchronize()), LAUNCH_FAILED);
        let mut params: CUDA_GRAPH_INSTANTIATE_PARAMS = all_zeros();
        let config: CUlaunchConfig = all_zeros();
        let (mut made, launched) = (null_mut(), &raw mut launched);
        each_gives!(LAUNCH_FAILED; {
            cuEventRecordWithFlags(place.event, place.stream, 3);
            cuLaunchKernelEx(&raw const config, null_mut(), null_mut(), null_mut());
            cuGraphUpload(exec, place.stream);
            cuGraphUpload(null_mut(), null_mut());
            cuGraphInstantiateWithParams(null_mut(), graph, &raw mut params);
            cuGraphInstantiateWithParams(&raw mut made, graph, &raw mut params);
            cuGraphKernelNodeSetParams_v2(node, launched);
            cuGraphExecKernelNodeSetParams_v2(exec, node, launched);
        });
        each_gives!(INVALID_VALUE; {
            cuLaunchKernelEx(null(), null_mut(), null_mut(), null_mut());
            cuGraphClone(null_mut(), graph);
            cuGraphAddDependencies(null_mut(), null(), null(), 0);
            cuGraphDestroyNode(null_mut());
            cuGraphInstantiateWithParams(null_mut(), null_mut(), null_mut());
            cuGraphKernelNodeSetParams_v2(null_mut(), null());
            cuGraphExecKernelNodeSetParams_v2(null_mut(), null_mut(), null());
        });
        let _copy: CUgraph = made!(cuGraphClone(graph));
        let mut count = 0;
        ok!(cuGraphNodeGetDependentNodes(node, null_mut(), &raw mut count));
        ok!(cuGraphKernelNodeGetParams_v2(node, launched));
        ok!(cuGraphDestroyNode(node));
    });
}

/// The argument of the host function, and its answers.
struct Asked {
    place: Place,
    graph: CUgraph,
    node: CUgraphNode,
    exec: CUgraphExec,
    launch: CUDA_KERNEL_NODE_PARAMS,
    answers: [CUresult; 9],
}

unsafe extern "C" fn ask(asked: *mut c_void) {
    // SAFETY: the test passes its own, and leaves it alone until the stream is finished.
    let Asked { place, graph, node, exec, launch, answers } = unsafe { &mut *asked.cast() };
    let (mut copy, mut config) = (null_mut(), all_zeros::<CUlaunchConfig>());
    (config.hStream, config.gridDimX) = (place.stream, 1);
    let launch = &raw mut *launch;
    *answers = [
        code!(cuEventRecordWithFlags(place.event, place.stream, 0)),
        code!(cuGraphUpload(*exec, place.stream)),
        code!(cuGraphKernelNodeGetParams_v2(*node, launch)),
        code!(cuGraphExecKernelNodeSetParams_v2(*exec, *node, launch)),
        code!(cuLaunchKernelEx(null(), null_mut(), null_mut(), null_mut())),
        code!(cuLaunchKernelEx(&raw const config, null_mut(), null_mut(), null_mut())),
        code!(cuGraphKernelNodeSetParams_v2(*node, launch)),
        code!(cuGraphClone(&raw mut copy, *graph)),
        code!(cuGraphDestroyNode(*node)),
    ];
}

/// F199
#[test]
fn a_host_function_may_ask_graphs_and_not_change_them() {
    let place = place();
    let graph: CUgraph = made!(cuGraphCreate(0));
    let (mut address, mut value) = (place.memory, 5_u64);
    let mut arguments = [(&raw mut address).cast(), (&raw mut value).cast::<c_void>()];
    let launch = store(&place, &mut arguments);
    let node: CUgraphNode = made!(cuGraphAddKernelNode_v2(graph, null(), 0, &raw const launch));
    let exec: CUgraphExec = made!(cuGraphInstantiateWithFlags(graph, 0));
    let mut asked = Asked { place, graph, node, exec, launch, answers: [SUCCESS; 9] };
    let (context, stream) = (asked.place.context, asked.place.stream);
    ok!(cuLaunchHostFunc(stream, Some(ask), (&raw mut asked).cast()));
    ok!(cuStreamSynchronize(stream));
    let [yes, no, invalid] = [SUCCESS, NOT_PERMITTED, INVALID_VALUE];
    assert_eq!(asked.answers, [yes, yes, yes, invalid, invalid, INVALID_HANDLE, no, no, no]);
    ok!(cuCtxDestroy_v2(context));
}
