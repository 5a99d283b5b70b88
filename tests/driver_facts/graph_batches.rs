//! Nodes that wait for values in memory and write them: F550 to F553, F622.

use crate::fresh;
use crate::raw::captures::*;
use crate::raw::*;
use cuscope::ffi::*;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::Duration;

const BATCH: CUgraphNodeType = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP;

type One = CUstreamBatchMemOpParams;

fn write(address: CUdeviceptr, value: u32, flags: u32) -> One {
    let mut one = One { pad: [0; 6] };
    one.writeValue = CUstreamBatchMemOpParams_v1_writeValue {
        operation: CU_STREAM_MEM_OP_WRITE_VALUE_32,
        address,
        anonymous: CUstreamBatchMemOpParams_v1_writeValue_anonymous { value64: value.into() },
        flags,
        alias: 0,
    };
    one
}

fn wait(address: CUdeviceptr, value: u32, flags: u32) -> One {
    let mut one = One { pad: [0; 6] };
    one.waitValue = CUstreamBatchMemOpParams_v1_waitValue {
        operation: CU_STREAM_MEM_OP_WAIT_VALUE_32,
        address,
        anonymous: CUstreamBatchMemOpParams_v1_waitValue_anonymous { value64: value.into() },
        flags,
        alias: 0,
    };
    one
}

fn barrier(flags: u32) -> One {
    let mut one = One { pad: [0; 6] };
    let operation = CU_STREAM_MEM_OP_BARRIER;
    one.memoryBarrier = CUstreamBatchMemOpParams_v1_memoryBarrier { operation, flags };
    one
}

/// F622
#[test]
fn a_batch_is_of_at_most_255_operations() {
    let place = place();
    let of = |count: u32| (0..count).map(|i| write(place.memory, i, 0)).collect::<Vec<_>>();
    let graph: CUgraph = made!(cuGraphCreate(0));
    let node = add(graph, &place, &of(1));
    let exec = instantiate(graph);
    for count in [0, 1, 2, 255, 256, 257, 1024, 65_535, 65_536, 100_000] {
        let mut all = of(count);
        let batch = params(place.context, &all, 0);
        let (fits, same) = (count <= 255, count == 1);
        let given = |ok| if ok { SUCCESS } else { INVALID_VALUE };
        let before = place.value();
        let code = code!(cuStreamBatchMemOp_v2(place.stream, count, all.as_mut_ptr(), 0));
        assert_eq!(code, given(fits), "{count}");
        ok!(cuStreamSynchronize(place.stream));
        // Of what is refused, nothing is made.
        let expected = if fits && count > 0 { count - 1 } else { before };
        assert_eq!(place.value(), expected, "{count}");
        let code = code!(cuGraphExecBatchMemOpNodeSetParams(exec, node, &raw const batch));
        assert_eq!(code, given(same), "{count}");
        assert_eq!(code!(cuGraphBatchMemOpNodeSetParams(node, &raw const batch)), given(fits));
        assert_eq!(try_add(graph, &batch), given(fits), "{count}");
    }
    let waits = [wait(place.memory, 0, 0)];
    let batch = params(place.context, &waits, 0);
    assert_eq!(
        code!(cuGraphExecBatchMemOpNodeSetParams(exec, node, &raw const batch)),
        INVALID_VALUE
    );
    assert_eq!(code!(cuGraphNodeSetEnabled(exec, node, 0)), INVALID_VALUE);
    place.destroy();
}

fn of_kind(kind: u32) -> One {
    let mut one = One { pad: [0; 6] };
    one.operation = CUstreamBatchMemOpType(kind);
    one
}

fn params(ctx: CUcontext, all: &[One], flags: u32) -> CUDA_BATCH_MEM_OP_NODE_PARAMS {
    let (count, at) = (all.len() as u32, all.as_ptr().cast_mut());
    CUDA_BATCH_MEM_OP_NODE_PARAMS { ctx, count, paramArray: at, flags }
}

fn try_add(graph: CUgraph, params: &CUDA_BATCH_MEM_OP_NODE_PARAMS) -> CUresult {
    let mut node = null_mut();
    code!(cuGraphAddBatchMemOpNode(&raw mut node, graph, null(), 0, params))
}

fn add(graph: CUgraph, place: &Place, all: &[One]) -> CUgraphNode {
    made!(cuGraphAddBatchMemOpNode(graph, null(), 0, &params(place.context, all, 0)))
}

fn get(node: CUgraphNode) -> CUDA_BATCH_MEM_OP_NODE_PARAMS {
    let mut out: CUDA_BATCH_MEM_OP_NODE_PARAMS = all_zeros();
    ok!(cuGraphBatchMemOpNodeGetParams(node, &raw mut out));
    out
}

/// The code of a launch, after which the stream is idle.
fn launched(exec: CUgraphExec, place: &Place) -> CUresult {
    let code = code!(cuGraphLaunch(exec, place.stream));
    ok!(cuStreamSynchronize(place.stream));
    code
}

/// F550
#[test]
fn a_node_waits_for_values_and_writes_them() {
    let place = place();
    let (graph, m) = (made!(cuGraphCreate(0)), place.memory);
    let good = [write(m, 5, 0), wait(m, 5, 1), barrier(1)];
    let node = add(graph, &place, &good);
    let first = params(place.context, &good, 0);
    let refused = |params: &CUDA_BATCH_MEM_OP_NODE_PARAMS| try_add(graph, params);
    for flags in [1, 2] {
        assert_eq!(refused(&params(place.context, &good, flags)), INVALID_VALUE);
    }
    assert_eq!(refused(&params(null_mut(), &good, 0)), INVALID_VALUE);
    let many = vec![write(m, 5, 0); 256];
    assert_eq!(refused(&params(place.context, &many, 0)), INVALID_VALUE);
    let _most = add(graph, &place, &many[1..]);
    let _none = add(graph, &place, &[]);
    for bad in [
        write(m + 1, 5, 0),
        write(m + 2, 5, 0),
        write(m, 5, 1),
        write(m, 5, 2),
        wait(m, 5, 4),
        barrier(2),
        of_kind(0),
        of_kind(99),
    ] {
        assert_eq!(refused(&params(place.context, &[write(m, 5, 0), bad], 0)), INVALID_VALUE);
    }
    for flush in [wait(m, 5, 1 << 30), of_kind(3)] {
        let code = refused(&params(place.context, &[flush], 0));
        assert_eq!(code, CUDA_ERROR_NOT_SUPPORTED);
    }
    let mut out = null_mut();
    let missing = CUDA_BATCH_MEM_OP_NODE_PARAMS { paramArray: null_mut(), ..first };
    each_gives!(INVALID_VALUE; {
        cuGraphAddBatchMemOpNode(null_mut(), graph, null(), 0, &raw const first);
        cuGraphAddBatchMemOpNode(&raw mut out, null_mut(), null(), 0, &raw const first);
        cuGraphAddBatchMemOpNode(&raw mut out, graph, null(), 0, null());
        cuGraphAddBatchMemOpNode(&raw mut out, graph, null(), 1, &raw const first);
        cuGraphAddBatchMemOpNode(&raw mut out, graph, null(), 0, &raw const missing);
    });
    assert_eq!(kinds(graph), [BATCH; 3]);
    assert_eq!(nodes(graph)[0], node);
    let exec = instantiate(graph);
    assert_eq!(launched(exec, &place), SUCCESS);
    assert_eq!(place.value(), 5);
    let mut on = 9;
    each_gives!(INVALID_VALUE; {
        cuGraphNodeSetEnabled(exec, node, 0);
        cuGraphNodeGetEnabled(exec, node, &raw mut on);
    });
    // No context need be current.
    assert_eq!(pop(), place.context);
    let _added = add(graph, &place, &good);
    ok!(cuCtxPushCurrent_v2(place.context));
    place.destroy();
}

/// F550
#[test]
fn memory_of_values_is_looked_up_when_a_graph_is_launched() {
    fresh!(memory_of_values_is_looked_up_when_a_graph_is_launched, {
        let (place, other) = (place(), Place::new());
        let pageable = Box::leak(Box::new([0_u64; 2])).as_ptr().expose_provenance();
        for address in [0, 1 << 44, pageable as CUdeviceptr] {
            let graph = made!(cuGraphCreate(0));
            let _node = add(graph, &place, &[write(address, 5, 0)]);
            assert_eq!(launched(instantiate(graph), &place), INVALID_VALUE);
        }
        let graph = made!(cuGraphCreate(0));
        let page_locked = place.host.expose_provenance() as CUdeviceptr;
        let _node = add(graph, &place, &[write(page_locked, 5, 0), write(other.memory, 6, 0)]);
        assert_eq!(launched(instantiate(graph), &place), SUCCESS);
        assert_eq!(other.value(), 6);
        // SAFETY: page-locked memory, which nothing writes now.
        assert_eq!(unsafe { place.host.cast::<u32>().read_volatile() }, 5);
        let memory = made!(cuMemAlloc_v2(64));
        let graph = made!(cuGraphCreate(0));
        let _node = add(graph, &place, &[write(memory, 5, 0)]);
        let exec = instantiate(graph);
        assert_eq!(launched(exec, &place), SUCCESS);
        ok!(cuMemFree_v2(memory));
        assert_eq!(launched(exec, &place), INVALID_VALUE);
    });
}

/// F551
#[test]
fn the_operations_of_a_node_are_told_and_changed() {
    let (place, other) = (place(), Place::new());
    let (graph, m) = (made!(cuGraphCreate(0)), place.memory);
    let all = [write(m, 5, 0), wait(m, 5, 1)];
    let node = add(graph, &place, &all);
    let exec = instantiate(graph);
    let told = get(node);
    assert_eq!((told.ctx, told.count, told.flags), (place.context, 2, 0));
    assert!(told.paramArray == get(node).paramArray && told.paramArray != all.as_ptr().cast_mut());
    // SAFETY: as many operations as it tells.
    let first = unsafe { told.paramArray.read() };
    // SAFETY: the first one is a write.
    let write_told = unsafe { first.writeValue };
    assert_eq!((write_told.operation, write_told.address), (kind_of(&all[0]), m));
    let set = |params: &CUDA_BATCH_MEM_OP_NODE_PARAMS| {
        code!(cuGraphBatchMemOpNodeSetParams(node, params))
    };
    // Anything that can be added, also in another context.
    for new in [
        params(place.context, &[wait(m, 9, 0)], 0),
        params(place.context, &[], 0),
        params(other.context, &[write(0, 9, 0), barrier(0), write(m, 9, 0)], 0),
    ] {
        assert_eq!(set(&new), SUCCESS);
        assert_eq!((get(node).ctx, get(node).count), (new.ctx, new.count));
    }
    for bad in [
        params(place.context, &[of_kind(99)], 0),
        params(place.context, &all, 1),
        params(null_mut(), &all, 0),
    ] {
        assert_eq!(set(&bad), INVALID_VALUE);
    }
    assert_eq!(get(node).count, 3);
    assert_eq!(launched(exec, &place), SUCCESS);
    assert_eq!(place.value(), 5);
    let empty: CUgraphNode = made!(cuGraphAddEmptyNode(graph, null(), 0));
    let (good, mut out) = (params(place.context, &all, 0), get(node));
    each_gives!(INVALID_VALUE; {
        cuGraphBatchMemOpNodeGetParams(null_mut(), &raw mut out);
        cuGraphBatchMemOpNodeGetParams(empty, &raw mut out);
        cuGraphBatchMemOpNodeGetParams(node, null_mut());
        cuGraphBatchMemOpNodeSetParams(null_mut(), &raw const good);
        cuGraphBatchMemOpNodeSetParams(empty, &raw const good);
        cuGraphBatchMemOpNodeSetParams(node, null());
    });
    place.destroy();
    ok!(cuCtxDestroy_v2(other.context));
}

/// The kind of an operation.
fn kind_of(one: &One) -> CUstreamBatchMemOpType {
    // SAFETY: every operation begins with its kind.
    unsafe { one.operation }
}

/// F552
#[test]
fn a_graph_that_can_run_takes_as_many_operations_of_the_same_kinds() {
    let (place, other) = (place(), Place::new());
    let (graph, m) = (made!(cuGraphCreate(0)), place.memory);
    let node = add(graph, &place, &[write(m, 5, 0)]);
    let exec = instantiate(graph);
    let later = add(graph, &place, &[write(m, 5, 0)]);
    let copy: CUgraph = made!(cuGraphClone(graph));
    let of_copy: CUgraphNode = made!(cuGraphNodeFindInClone(node, copy));
    let set = |params: &CUDA_BATCH_MEM_OP_NODE_PARAMS| {
        code!(cuGraphExecBatchMemOpNodeSetParams(exec, node, params))
    };
    assert_eq!(set(&params(place.context, &[write(m, 6, 0)], 0)), SUCCESS);
    assert_eq!(launched(exec, &place), SUCCESS);
    assert_eq!(place.value(), 6);
    let wide = CU_STREAM_MEM_OP_WRITE_VALUE_64.0;
    for bad in [
        params(place.context, &[], 0),
        params(place.context, &[write(m, 7, 0), write(m, 7, 0)], 0),
        params(place.context, &[wait(m, 6, 0)], 0),
        params(place.context, &[of_kind(wide)], 0),
        params(place.context, &[write(m, 7, 0)], 1),
        params(other.context, &[write(m, 7, 0)], 0),
        params(null_mut(), &[write(m, 7, 0)], 0),
    ] {
        assert_eq!(set(&bad), INVALID_VALUE);
    }
    let one = [write(m, 7, 0)];
    let good = params(place.context, &one, 0);
    each_gives!(INVALID_VALUE; {
        cuGraphExecBatchMemOpNodeSetParams(null_mut(), node, &raw const good);
        cuGraphExecBatchMemOpNodeSetParams(exec, null_mut(), &raw const good);
        cuGraphExecBatchMemOpNodeSetParams(exec, later, &raw const good);
        cuGraphExecBatchMemOpNodeSetParams(exec, of_copy, &raw const good);
        cuGraphExecBatchMemOpNodeSetParams(exec, node, null());
    });
    assert_eq!(launched(exec, &place), SUCCESS);
    assert_eq!(place.value(), 6);
    let update = |context, all: &[One]| {
        let graph = made!(cuGraphCreate(0));
        assert_eq!(try_add(graph, &params(context, all, 0)), SUCCESS);
        let mut info: CUgraphExecUpdateResultInfo = all_zeros();
        (code!(cuGraphExecUpdate_v2(exec, graph, &raw mut info)), info.result)
    };
    let changed = CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
    for (context, all) in [
        (place.context, &[wait(m, 6, 0)][..]),
        (place.context, &[write(m, 8, 0), write(m, 8, 0)]),
        (other.context, &[write(m, 8, 0)]),
    ] {
        let refused = (CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, changed);
        assert_eq!(update(context, all), refused);
    }
    let updated = (SUCCESS, CU_GRAPH_EXEC_UPDATE_SUCCESS);
    assert_eq!(update(place.context, &[write(m, 9, 0)]), updated);
    assert_eq!(launched(exec, &place), SUCCESS);
    assert_eq!(place.value(), 9);
    place.destroy();
    ok!(cuCtxDestroy_v2(other.context));
}

/// F553
#[test]
fn captured_operations_are_a_node_each() {
    fresh!(captured_operations_are_a_node_each, {
        let place = place();
        let (stream, m) = (place.stream, place.memory);
        for mode in [GLOBAL, RELAXED] {
            begin(stream, mode);
            ok!(cuStreamWriteValue32_v2(stream, m, 12, 0));
            ok!(cuStreamWriteValue64_v2(stream, m + 8, 13, 0));
            ok!(cuStreamWaitValue32_v2(stream, m, 12, 1));
            ok!(cuStreamWaitValue64_v2(stream, m + 8, 13, 1));
            let mut two = [write(m, 14, 0), barrier(0)];
            ok!(cuStreamBatchMemOp_v2(stream, 2, two.as_mut_ptr(), 0));
            ok!(cuStreamBatchMemOp_v2(stream, 0, null_mut(), 0));
            // A call that flags forbid does the capture no harm.
            assert_eq!(code!(cuStreamWriteValue32_v2(stream, m, 1, 1)), INVALID_VALUE);
            let graph = end(stream);
            assert_eq!(kinds(graph), [BATCH; 6]);
            let counts: Vec<_> = nodes(graph).into_iter().map(|node| get(node).count).collect();
            assert_eq!(counts, [1, 1, 1, 1, 2, 0]);
            ok!(cuMemsetD8_v2(m, 0, 64));
            // A fill does not wait.
            ok!(cuCtxSynchronize());
            assert_eq!(launched(instantiate(graph), &place), SUCCESS);
            assert_eq!(place.value(), 14);
            begin(stream, mode);
            ok!(cuStreamWriteValue32_v2(stream, 0, 12, 0));
            assert_eq!(launched(instantiate(end(stream)), &place), INVALID_VALUE);
        }
        place.destroy();
    });
}

/// F553
#[test]
fn a_wait_of_a_graph_holds_what_is_behind_it() {
    let place = place();
    let (graph, m) = (made!(cuGraphCreate(0)), place.memory);
    let at = place.host.expose_provenance() as CUdeviceptr;
    // SAFETY: page-locked memory, which the device may look at meanwhile.
    let [awaited, beside] =
        [0, 2].map(|at| unsafe { AtomicU32::from_ptr(place.host.cast::<u32>().wrapping_add(at)) });
    let waits = add(graph, &place, &[wait(at, 3, 1)]);
    let writes = [write(m, 7, 0)];
    let after = params(place.context, &writes, 0);
    let _behind: CUgraphNode =
        made!(cuGraphAddBatchMemOpNode(graph, &raw const waits, 1, &raw const after));
    let _beside = add(graph, &place, &[write(at + 8, 1, 0)]);
    let exec = instantiate(graph);
    awaited.store(0, Ordering::Release);
    ok!(cuGraphLaunch(exec, place.stream));
    while beside.load(Ordering::Acquire) == 0 {
        sleep(Duration::from_millis(1));
    }
    assert_eq!(code!(cuStreamQuery(place.stream)), NOT_READY);
    awaited.store(3, Ordering::Release);
    ok!(cuStreamSynchronize(place.stream));
    assert_eq!(place.value(), 7);
    place.destroy();
}
