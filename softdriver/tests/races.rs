//! Races: each kind is found in every order, and said to be what it is.
#![allow(unsafe_code, reason = "the driver's functions are unsafe")]

#[macro_use]
mod common;

use common::*;
use control::{Access, Race};
use cuscope_sys::{
    CU_AD_FORMAT_FLOAT, CU_MEM_ACCESS_FLAGS_PROT_READWRITE, CU_MEM_ALLOCATION_TYPE_PINNED,
    CU_MEM_LOCATION_TYPE_DEVICE, CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_HOST, CUDA_ARRAY3D_DESCRIPTOR,
    CUDA_MEMCPY3D, CUDA_RESOURCE_DESC, CUDA_TEXTURE_DESC, CUarray, CUmemAccessDesc,
    CUmemAllocationProp, CUmemPoolProps, CUmemoryPool, CUtexObject,
};
use std::ffi::{CStr, c_void};
use std::process::Command;
use std::ptr::null_mut;

/// How many orders a race has to be found in.
const SEEDS: u64 = 40;

/// The objects that a program with a race uses.
struct Parts {
    context: CUcontext,
    a: CUstream,
    b: CUstream,
    memory: CUdeviceptr,
    locked: *mut c_void,
    event: CUevent,
    store: CUfunction,
    load: CUfunction,
}

/// Runs `program` with many seeds, each of which has to find the one race, between what `expected`
/// says: names and accesses, in whichever order.
fn racy(expected: [(&str, Access); 2], program: impl Fn(&Parts)) {
    run(Some(expected), program);
}

/// Runs `program` with many seeds, none of which may find a race.
fn right(program: impl Fn(&Parts)) {
    run(None, program);
}

fn run(expected: Option<[(&str, Access); 2]>, program: impl Fn(&Parts)) {
    let _alone = alone();
    let parts = Parts {
        context: context(),
        a: stream(),
        b: stream(),
        memory: device_memory(&[0; 16]),
        locked: made!(cuMemAllocHost_v2(64)),
        event: made!(cuEventCreate(0)),
        store: kernel("wild", "wild"),
        load: kernel("wild", "wild_load"),
    };
    for seed in 0..SEEDS {
        schedule::seed(seed);
        assert_eq!(control::take_races(), []);
        program(&parts);
        ok!(cuCtxSynchronize());
        let races = control::races();
        assert_eq!(races, control::take_races());
        match (expected, &races[..]) {
            (None, []) => {}
            (Some([one, other]), [race]) => {
                let first = (race.first.name.as_str(), race.first.access);
                let second = (race.second.name.as_str(), race.second.access);
                let same = [first, second] == [one, other] || [first, second] == [other, one];
                assert!(same, "{seed}: {race}");
            }
            _ => panic!("{seed}: {races:?}"),
        }
    }
    schedule::stop();
    ok!(cuCtxDestroy_v2(parts.context));
}

/// The number of a stream in reports.
fn number(stream: CUstream) -> u64 {
    let mut number = 0;
    ok!(cuStreamGetId(stream, &raw mut number));
    number
}

#[test]
fn two_writes() {
    racy([("cuMemsetD8Async", Access::Write), ("cuMemsetD32Async", Access::Write)], |parts| {
        ok!(cuMemsetD8Async(parts.memory, 1, 8, parts.a));
        ok!(cuMemsetD32Async(parts.memory + 4, 2, 2, parts.b));
        ok!(cuCtxSynchronize());
        let [Race { first, second, address, bytes }] = &control::races()[..] else { panic!() };
        assert_eq!((*address, *bytes), (parts.memory + 4, 4));
        let streams = [number(parts.a), number(parts.b)].map(Some);
        assert!(
            [first.stream, second.stream] == streams || [second.stream, first.stream] == streams
        );
    });
}

#[test]
fn a_kernel_that_reads_and_a_copy_that_writes() {
    racy([("wild_load", Access::Read), ("cuMemcpyHtoDAsync_v2", Access::Write)], |parts| {
        assert_eq!(launch(parts.load, parts.a, &[parts.memory, parts.memory + 8]), 0);
        ok!(cuMemcpyHtoDAsync_v2(parts.memory, parts.locked, 4, parts.b));
    });
}

#[test]
fn a_kernel_that_writes_and_the_null_stream() {
    // A copy of the null stream does not wait for a stream that is non-blocking (F52).
    racy([("wild", Access::Write), ("cuMemcpyDtoH_v2", Access::Read)], |parts| {
        assert_eq!(launch(parts.store, parts.a, &[parts.memory + 4, 5]), 0);
        assert_eq!(values(parts.memory, 2).len(), 2);
    });
}

#[test]
fn two_copies_to_one_place_of_the_host() {
    racy(
        [("cuMemcpyDtoHAsync_v2", Access::Write), ("cuMemcpyDtoHAsync_v2", Access::Write)],
        |parts| {
            ok!(cuMemcpyDtoHAsync_v2(parts.locked, parts.memory, 8, parts.a));
            ok!(cuMemcpyDtoHAsync_v2(parts.locked, parts.memory + 32, 8, parts.b));
        },
    );
}

#[test]
fn an_event_that_was_recorded_too_early() {
    racy([("cuMemsetD8Async", Access::Write), ("cuMemcpyDtoDAsync_v2", Access::Read)], |parts| {
        ok!(cuEventRecord(parts.event, parts.a));
        ok!(cuMemsetD8Async(parts.memory, 1, 8, parts.a));
        ok!(cuStreamWaitEvent(parts.b, parts.event, 0));
        ok!(cuMemcpyDtoDAsync_v2(parts.memory + 16, parts.memory, 4, parts.b));
    });
}

#[test]
fn memory_that_is_used_before_the_stream_that_allocates_it_is_there() {
    racy([("cuMemAllocAsync", Access::Allocate), ("cuMemsetD8Async", Access::Write)], |parts| {
        let own: CUdeviceptr = made!(cuMemAllocAsync(16, parts.a));
        ok!(cuMemsetD8Async(own, 1, 16, parts.b));
        ok!(cuCtxSynchronize());
        ok!(cuMemFree_v2(own));
    });
}

#[test]
fn memory_that_is_freed_in_one_stream_and_used_in_another() {
    racy([("cuMemsetD8Async", Access::Write), ("cuMemFreeAsync", Access::Free)], |parts| {
        let own = device_memory(&[0; 4]);
        ok!(cuMemsetD8Async(own, 1, 16, parts.b));
        ok!(cuMemFreeAsync(own, parts.a));
    });
}

#[test]
fn memory_that_is_freed_under_the_work_of_another_context() {
    // `cuMemFree` waits for the work of the context that the memory is of, and for no other (F50).
    racy([("cuMemsetD8Async", Access::Write), ("cuMemFree_v2", Access::Free)], |parts| {
        let own = device_memory(&[0; 4]);
        let other = context();
        let stream = stream();
        ok!(cuMemsetD8Async(own, 1, 16, stream));
        ok!(cuMemFree_v2(own));
        ok!(cuStreamSynchronize(stream));
        ok!(cuCtxDestroy_v2(other));
        ok!(cuCtxSetCurrent(parts.context));
    });
}

/// Memory of a pool of the second device, to which the first one has access, and a stream of its own.
fn with_pool_of_another_device(parts: &Parts, program: impl Fn(CUdeviceptr, CUstream)) {
    let other = context_on(1);
    let own = stream();
    // SAFETY: numbers and pointers, for which zeros are a value.
    let mut props: CUmemPoolProps = unsafe { std::mem::zeroed() };
    (props.allocType, props.location.r#type) =
        (CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_LOCATION_TYPE_DEVICE);
    let mut one =
        CUmemAccessDesc { location: props.location, flags: CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
    (props.location.anonymous.id, one.location.anonymous.id) = (1, 0);
    let pool: CUmemoryPool = made!(cuMemPoolCreate(&raw const props));
    ok!(cuMemPoolSetAccess(pool, &raw const one, 1));
    let memory: CUdeviceptr = made!(cuMemAllocFromPoolAsync(64, pool, own));
    ok!(cuStreamSynchronize(own));
    program(memory, own);
    ok!(cuStreamSynchronize(own));
    ok!(cuStreamSynchronize(parts.a));
    ok!(cuMemFree_v2(memory));
    ok!(cuMemPoolDestroy(pool));
    ok!(cuCtxDestroy_v2(other));
    ok!(cuCtxSetCurrent(parts.context));
}

#[test]
fn memory_of_a_pool_that_two_devices_use() {
    racy([("wild", Access::Write), ("cuMemsetD8Async", Access::Write)], |parts| {
        with_pool_of_another_device(parts, |memory, own| {
            assert_eq!(launch(parts.store, parts.a, &[memory, 5]), 0);
            ok!(cuMemsetD8Async(memory, 1, 4, own));
        });
    });
    right(|parts| {
        with_pool_of_another_device(parts, |memory, own| {
            assert_eq!(launch(parts.store, parts.a, &[memory, 5]), 0);
            ok!(cuEventRecord(parts.event, parts.a));
            ok!(cuStreamWaitEvent(own, parts.event, 0));
            ok!(cuMemsetD8Async(memory, 1, 4, own));
        });
    });
}

/// CUDA's manual lets the call return when the memory of the host is read; that of page-locked memory waits.
#[test]
fn a_copy_from_the_host_without_a_stream_is_not_waited_for() {
    let words = [1_u32; 16];
    let copy = |parts: &Parts, from: *const c_void, before: bool| {
        ok!(cuMemsetD8Async(parts.memory, 2, 4, null_mut()));
        ok!(cuMemcpyHtoD_v2(parts.memory + 4, from, 60));
        if before {
            ok!(cuStreamSynchronize(null_mut()));
        }
        // The work that was in the stream before the copy is over.
        ok!(cuMemsetD8Async(parts.memory, 3, 8, parts.a));
        ok!(cuCtxSynchronize());
    };
    let of = words.as_ptr().cast::<c_void>();
    let expected = [("cuMemcpyHtoD_v2", Access::Write), ("cuMemsetD8Async", Access::Write)];
    racy(expected, |parts| copy(parts, of, false));
    right(|parts| copy(parts, of, true));
    right(|parts| copy(parts, parts.locked, false));
}

#[test]
fn a_copy_between_devices_and_a_fill_of_the_other_one() {
    let expected = [("cuMemcpyPeerAsync", Access::Write), ("cuMemsetD8Async", Access::Write)];
    racy(expected, |parts| {
        let other = context_on(1);
        let (there, own) = (device_memory(&[0; 4]), stream());
        ok!(cuMemcpyPeerAsync(there, other, parts.memory, parts.context, 16, parts.a));
        ok!(cuMemsetD8Async(there, 1, 4, own));
        ok!(cuStreamSynchronize(own));
        ok!(cuStreamSynchronize(parts.a));
        ok!(cuCtxDestroy_v2(other));
        ok!(cuCtxSetCurrent(parts.context));
    });
}

/// The size of the memory that is mapped.
const PIECE: usize = 2 << 20;

/// Two mappings side by side, which are given back after `program`.
fn with_two_mappings(program: impl Fn(CUdeviceptr)) {
    // SAFETY: a structure of numbers and pointers.
    let mut prop: CUmemAllocationProp = unsafe { std::mem::zeroed() };
    (prop.r#type, prop.location.r#type) =
        (CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_LOCATION_TYPE_DEVICE);
    // SAFETY: as above.
    let mut access: CUmemAccessDesc = unsafe { std::mem::zeroed() };
    (access.location, access.flags) = (prop.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    let at: CUdeviceptr = made!(cuMemAddressReserve(2 * PIECE, 0, 0, 0));
    for at in [at, at + PIECE as u64] {
        let memory = made!(cuMemCreate(PIECE, &raw const prop, 0));
        ok!(cuMemMap(at, PIECE, 0, memory, 0));
        ok!(cuMemRelease(memory));
    }
    ok!(cuMemSetAccess(at, 2 * PIECE, &raw const access, 1));
    program(at);
    ok!(cuMemUnmap(at, 2 * PIECE));
    ok!(cuMemAddressFree(at, 2 * PIECE));
}

#[test]
fn memory_that_is_unmapped_under_work() {
    racy([("cuMemsetD8Async", Access::Write), ("cuMemUnmap", Access::Free)], |parts| {
        with_two_mappings(|at| ok!(cuMemsetD8Async(at, 1, PIECE, parts.a)));
    });
    right(|parts| {
        with_two_mappings(|at| {
            ok!(cuMemsetD8Async(at, 1, 2 * PIECE, parts.a));
            ok!(cuStreamSynchronize(parts.a));
        });
    });
}

#[test]
fn fills_over_two_mappings_and_of_one() {
    let fills = [("cuMemsetD8Async", Access::Write), ("cuMemsetD32Async", Access::Write)];
    racy(fills, |parts| {
        with_two_mappings(|at| {
            ok!(cuMemsetD8Async(at + 64, 1, PIECE, parts.a));
            ok!(cuMemsetD32Async(at + PIECE as u64, 1, 1, parts.b));
            ok!(cuCtxSynchronize());
        });
    });
    right(|parts| {
        with_two_mappings(|at| {
            ok!(cuMemsetD8Async(at + 64, 1, PIECE, parts.a));
            ok!(cuMemsetD32Async(at + PIECE as u64 + 64, 1, 1, parts.b));
            ok!(cuCtxSynchronize());
        });
    });
}

#[test]
fn branches_of_a_graph() {
    racy([("fill of a graph", Access::Write), ("fill of a graph", Access::Write)], |parts| {
        launch_graph(parts, 1, |graph| {
            add_fill(parts, graph, &[], parts.memory);
            add_fill(parts, graph, &[], parts.memory);
        });
    });
}

/// Adds a fill of two words after other nodes.
fn add_fill(parts: &Parts, graph: CUgraph, before: &[CUgraphNode], at: CUdeviceptr) -> CUgraphNode {
    let params = cuscope_sys::CUDA_MEMSET_NODE_PARAMS {
        dst: at,
        pitch: 0,
        value: 1,
        elementSize: 4,
        width: 2,
        height: 1,
    };
    let (from, count) = (before.as_ptr(), before.len());
    made!(cuGraphAddMemsetNode(graph, from, count, &raw const params, parts.context))
}

/// Adds a node whose graph runs once, after other nodes. Returns it with its graph.
fn add_if(
    parts: &Parts,
    of: CUgraph,
    graph: CUgraph,
    before: &[CUgraphNode],
) -> (CUgraphNode, CUgraph) {
    let handle: u64 = made!(cuGraphConditionalHandleCreate(of, parts.context, 1, 1));
    // SAFETY: numbers and pointers, for which zeros are values.
    let mut params: cuscope_sys::CUgraphNodeParams = unsafe { std::mem::zeroed() };
    params.r#type = cuscope_sys::CU_GRAPH_NODE_TYPE_CONDITIONAL;
    params.anonymous.conditional = cuscope_sys::CUDA_CONDITIONAL_NODE_PARAMS {
        handle,
        r#type: cuscope_sys::CU_GRAPH_COND_TYPE_IF,
        size: 1,
        phGraph_out: std::ptr::null_mut(),
        ctx: parts.context,
    };
    let (from, count, none) = (before.as_ptr(), before.len(), std::ptr::null());
    let node = made!(cuGraphAddNode_v2(graph, from, none, count, &raw mut params));
    // SAFETY: these were set above, and the driver has written to them.
    let conditional = unsafe { params.anonymous.conditional };
    // SAFETY: the driver has written where the one graph is.
    (node, unsafe { *conditional.phGraph_out })
}

/// Makes a graph, and launches it.
fn launch_graph(parts: &Parts, times: u32, build: impl FnOnce(CUgraph)) {
    let graph: CUgraph = made!(cuGraphCreate(0));
    build(graph);
    let exec: CUgraphExec = made!(cuGraphInstantiateWithFlags(graph, 0));
    (0..times).for_each(|_| ok!(cuGraphLaunch(exec, parts.a)));
    ok!(cuStreamSynchronize(parts.a));
    ok!(cuGraphExecDestroy(exec));
    ok!(cuGraphDestroy(graph));
}

#[test]
fn nodes_in_the_graph_of_a_conditional_node() {
    let fills = [("fill of a graph", Access::Write), ("fill of a graph", Access::Write)];
    // Two nodes without an edge.
    racy(fills, |parts| {
        launch_graph(parts, 1, |graph| {
            let (_, body) = add_if(parts, graph, graph, &[]);
            add_fill(parts, body, &[], parts.memory);
            add_fill(parts, body, &[], parts.memory + 4);
        });
    });
    // One inside another node, and one beside that.
    racy(fills, |parts| {
        launch_graph(parts, 1, |graph| {
            let (_, body) = add_if(parts, graph, graph, &[]);
            let (_, inner) = add_if(parts, graph, body, &[]);
            add_fill(parts, inner, &[], parts.memory);
            add_fill(parts, body, &[], parts.memory + 4);
        });
    });
    // Edges inside, around, and through a node between; other memory; the launch before.
    right(|parts| {
        launch_graph(parts, 2, |graph| {
            let first = add_fill(parts, graph, &[], parts.memory);
            let (node, body) = add_if(parts, graph, graph, &[first]);
            let second = add_fill(parts, body, &[], parts.memory + 4);
            add_fill(parts, body, &[], parts.memory + 32);
            let between: CUgraphNode = made!(cuGraphAddEmptyNode(body, &raw const second, 1));
            let (inner, inside) = add_if(parts, graph, body, &[between]);
            add_fill(parts, inside, &[], parts.memory + 8);
            add_fill(parts, body, &[inner], parts.memory + 4);
            add_fill(parts, graph, &[node], parts.memory + 8);
        });
    });
}

#[test]
fn atomic_operations_race_with_all_but_their_like() {
    let _alone = alone();
    let context = context();
    let globals = kernel("globals", "globals");
    let (a, b) = (stream(), stream());
    let out = device_memory(&[0; 64]);
    for seed in 0..SEEDS {
        schedule::seed(seed);
        assert_eq!(launch_shared(globals, a, out), 0);
        assert_eq!(launch_shared(globals, b, out + 128), 0);
        ok!(cuCtxSynchronize());
        assert_eq!(control::take_races(), []);
    }
    let atomics = kernel("globals", "atomics");
    let memory = device_memory(&[0; 128]);
    let arguments = [memory, memory + 256, memory + 272, memory + 280];
    for seed in 0..SEEDS {
        schedule::seed(seed);
        assert_eq!(launch(atomics, a, &arguments), 0);
        ok!(cuMemsetD8Async(memory + 272, 0, 4, b));
        ok!(cuCtxSynchronize());
        let races = control::take_races();
        let [race] = &races[..] else { panic!("{races:?}") };
        let accesses = [race.first.access, race.second.access];
        assert!(accesses.contains(&Access::Atomic) && accesses.contains(&Access::Write), "{race}");
        assert_eq!((race.address, race.bytes), (memory + 272, 4));
    }
    schedule::stop();
    ok!(cuCtxDestroy_v2(context));
}

/// Launches one block of 32 threads with shared memory for them.
fn launch_shared(function: CUfunction, stream: CUstream, out: CUdeviceptr) -> u32 {
    let mut pointers = [(&raw const out).cast_mut().cast::<c_void>()];
    let (params, none) = (pointers.as_mut_ptr(), null_mut());
    code!(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 128, stream, params, none))
}

#[test]
fn accesses_side_by_side_do_not_race() {
    right(|parts| {
        assert_eq!(launch(parts.store, parts.a, &[parts.memory, 5]), 0);
        assert_eq!(launch(parts.store, parts.b, &[parts.memory + 4, 6]), 0);
        ok!(cuMemsetD8_v2(parts.memory + 8, 1, 4));
    });
}

/// A copy of 3 rows of 4 bytes, 16 bytes apart, from one column of the memory to another.
fn column(parts: &Parts, from: usize, to: usize) -> CUDA_MEMCPY3D {
    CUDA_MEMCPY3D {
        srcMemoryType: CU_MEMORYTYPE_DEVICE,
        srcDevice: parts.memory,
        srcXInBytes: from,
        srcPitch: 16,
        srcHeight: 1,
        dstMemoryType: CU_MEMORYTYPE_DEVICE,
        dstDevice: parts.memory,
        dstXInBytes: to,
        dstPitch: 16,
        dstHeight: 1,
        WidthInBytes: 4,
        Height: 1,
        Depth: 3,
        // SAFETY: numbers and pointers, for which zero is a value.
        ..unsafe { std::mem::zeroed() }
    }
}

/// Runs a graph with these copies, none of which is after another.
fn run_copies(parts: &Parts, copies: [CUDA_MEMCPY3D; 2]) {
    let graph: CUgraph = made!(cuGraphCreate(0));
    for copy in copies {
        let none = std::ptr::null();
        let _node: CUgraphNode =
            made!(cuGraphAddMemcpyNode(graph, none, 0, &raw const copy, parts.context));
    }
    let exec: CUgraphExec = made!(cuGraphInstantiateWithFlags(graph, 0));
    ok!(cuGraphLaunch(exec, parts.a));
    ok!(cuStreamSynchronize(parts.a));
    ok!(cuGraphExecDestroy(exec));
    ok!(cuGraphDestroy(graph));
}

#[test]
fn columns_of_the_same_rows_are_no_race() {
    right(|parts| {
        let copies = [column(parts, 0, 4), column(parts, 8, 12)];
        ok!(cuMemcpy3DAsync_v2(&raw const copies[0], parts.a));
        ok!(cuMemcpy3DAsync_v2(&raw const copies[1], parts.b));
        ok!(cuCtxSynchronize());
        ok!(cuMemsetD2D32Async(parts.memory, 16, 1, 1, 3, parts.a));
        ok!(cuMemsetD2D8Async(parts.memory + 4, 16, 2, 4, 3, parts.b));
        ok!(cuMemcpy3DAsync_v2(&raw const copies[1], stream()));
    });
    racy([("cuMemsetD2D8Async", Access::Write), ("cuMemcpy3DAsync_v2", Access::Read)], |parts| {
        ok!(cuMemsetD2D8Async(parts.memory + 4, 16, 2, 5, 3, parts.b));
        let copy = column(parts, 8, 12);
        ok!(cuMemcpy3DAsync_v2(&raw const copy, parts.a));
    });
}

#[test]
fn rows_that_two_streams_write_race() {
    racy([("cuMemcpy3DAsync_v2", Access::Write), ("cuMemcpy3DAsync_v2", Access::Write)], |parts| {
        // They meet in the last two bytes of each row.
        let copies = [column(parts, 0, 6), column(parts, 0, 8)];
        ok!(cuMemcpy3DAsync_v2(&raw const copies[0], parts.a));
        ok!(cuMemcpy3DAsync_v2(&raw const copies[1], parts.b));
        ok!(cuCtxSynchronize());
        let [Race { address, bytes, .. }] = &control::races()[..] else { panic!() };
        assert_eq!((*address, *bytes), (parts.memory + 8, 2));
    });
}

#[test]
fn rows_of_the_host_race_by_row() {
    /// 3 rows of 2 bytes of the device, to every second pair of bytes of the host.
    fn to_host(parts: &Parts, host: *mut c_void) -> CUDA_MEMCPY3D {
        CUDA_MEMCPY3D {
            dstMemoryType: CU_MEMORYTYPE_HOST,
            dstHost: host,
            dstPitch: 4,
            WidthInBytes: 2,
            ..column(parts, 0, 0)
        }
    }
    right(|parts| {
        let copies = [0, 2].map(|behind| to_host(parts, parts.locked.wrapping_byte_add(behind)));
        ok!(cuMemcpy3DAsync_v2(&raw const copies[0], parts.a));
        ok!(cuMemcpy3DAsync_v2(&raw const copies[1], parts.b));
    });
    racy([("copy of a graph", Access::Write), ("copy of a graph", Access::Write)], |parts| {
        // Memory that is not page-locked: the last row of one is the first one of the other.
        let mut host = [0_u8; 20];
        let host: *mut c_void = (&raw mut host).cast();
        run_copies(parts, [0, 8].map(|behind| to_host(parts, host.wrapping_byte_add(behind))));
    });
}

#[test]
fn branches_of_a_graph_that_copy_columns() {
    right(|parts| run_copies(parts, [column(parts, 0, 4), column(parts, 0, 8)]));
    racy([("copy of a graph", Access::Read), ("copy of a graph", Access::Write)], |parts| {
        run_copies(parts, [column(parts, 0, 4), column(parts, 4, 8)]);
    });
}

#[test]
fn accesses_are_forgotten_with_the_streams_that_made_them() {
    right(|parts| {
        // More streams, one after the other, than are remembered.
        for _ in 0..100 {
            let stream = stream();
            ok!(cuMemsetD8Async(parts.memory, 1, 8, stream));
            ok!(cuStreamSynchronize(stream));
            ok!(cuStreamDestroy_v2(stream));
        }
        ok!(cuMemsetD8Async(parts.memory, 2, 8, parts.a));
    });
}

#[test]
fn reads_do_not_race() {
    right(|parts| {
        assert_eq!(launch(parts.load, parts.a, &[parts.memory, parts.memory + 4]), 0);
        assert_eq!(launch(parts.load, parts.b, &[parts.memory, parts.memory + 8]), 0);
        ok!(cuMemcpyDtoHAsync_v2(parts.locked, parts.memory, 4, parts.a));
    });
}

#[test]
fn work_that_an_event_a_wait_or_a_host_function_orders_does_not_race() {
    unsafe extern "C" fn nothing(_: *mut c_void) {}
    right(|parts| {
        let Parts { a, b, memory, event, .. } = *parts;
        ok!(cuMemsetD8Async(memory, 1, 8, a));
        ok!(cuEventRecord(event, a));
        // Also when the event has long been complete, and its stream is no more.
        let late = stream();
        ok!(cuStreamWaitEvent(late, event, 0));
        ok!(cuMemsetD8Async(memory, 2, 8, late));
        ok!(cuStreamDestroy_v2(late));
        ok!(cuCtxSynchronize());
        ok!(cuMemsetD8Async(memory, 3, 8, b));
        ok!(cuLaunchHostFunc(b, Some(nothing), null_mut()));
        ok!(cuStreamSynchronize(b));
        ok!(cuCtxRecordEvent(parts.context, event));
        ok!(cuMemsetD8Async(memory, 4, 8, a));
        ok!(cuCtxRecordEvent(parts.context, event));
        ok!(cuCtxWaitEvent(parts.context, event));
        ok!(cuMemsetD8Async(memory, 5, 8, stream()));
    });
}

#[test]
fn a_kernel_that_touches_freed_memory_faults_and_is_reported() {
    in_a_child("a_kernel_that_touches_freed_memory_faults_and_is_reported", || {
        schedule::seed(1);
        let _context = context();
        let store = kernel("wild", "wild");
        let memory = device_memory(&[0; 4]);
        ok!(cuMemFree_v2(memory));
        assert_eq!(launch(store, null_mut(), &[memory + 4, 1]), 0);
        assert_eq!(code!(cuCtxSynchronize()), 700);
        let [race] = &control::races()[..] else { panic!("{:?}", control::races()) };
        assert_eq!((race.first.name.as_str(), race.first.stream), ("cuMemFree_v2", None));
        assert_eq!((race.second.name.as_str(), race.address), ("wild", memory + 4));
    });
}

/// Does what two streams must not, and says what was found.
#[test]
#[ignore = "a part of another test"]
fn racy_child() {
    let context = context();
    let memory = device_memory(&[0]);
    ok!(cuMemsetD8Async(memory, 1, 4, stream()));
    ok!(cuMemsetD8Async(memory, 2, 4, stream()));
    ok!(cuCtxSynchronize());
    println!("{} found", control::races().len());
    ok!(cuCtxDestroy_v2(context));
}

#[test]
fn the_environment_sets_the_seed_prints_and_ends_the_process() {
    let run = |variables: &[(&str, &str)]| {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "racy_child", "--ignored", "--nocapture"]);
        child.env_remove("CUSCOPE_SOFT_SEED").env_remove("CUSCOPE_SOFT_RACES");
        let output = child.envs(variables.iter().copied()).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.success(), text(&output.stdout), text(&output.stderr))
    };
    let (success, out, err) = run(&[]);
    assert!(success && out.contains("0 found") && !err.contains("race"), "{out}{err}");
    let (success, out, err) = run(&[("CUSCOPE_SOFT_SEED", "3")]);
    assert!(success && out.contains("1 found"), "{out}{err}");
    assert!(err.contains("cuscope: race: cuMemsetD8Async in stream "), "{err}");
    let (success, out, err) = run(&[("CUSCOPE_SOFT_SEED", "3"), ("CUSCOPE_SOFT_RACES", "abort")]);
    assert!(!success && !out.contains("found") && err.contains("cuscope: race: "), "{out}{err}");
}

/// A texture of a row of floats, the array that it reads, and a kernel that fetches the first of them.
fn texture() -> (CUtexObject, CUarray, CUfunction) {
    const FETCH: &CStr = c".version 7.0\n.target sm_60\n.address_size 64\n
        .visible .entry fetch(.param .u64 image) {
        .reg .b64 %rd<2>; .reg .f32 %f<6>;
        ld.param.u64 %rd1, [image]; mov.f32 %f1, 0f3F000000;
        tex.1d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%rd1, {%f1}]; ret; }";
    let row = CUDA_ARRAY3D_DESCRIPTOR {
        Width: 4,
        Height: 0,
        Depth: 0,
        Format: CU_AD_FORMAT_FLOAT,
        NumChannels: 1,
        Flags: 0,
    };
    let array: CUarray = made!(cuArray3DCreate_v2(&raw const row));
    // SAFETY: numbers, and a union of numbers and pointers: zeros are values of them.
    let mut resource: CUDA_RESOURCE_DESC = unsafe { std::mem::zeroed() };
    // SAFETY: numbers.
    let how: CUDA_TEXTURE_DESC = unsafe { std::mem::zeroed() };
    resource.res.array.hArray = array;
    let (resource, how) = (&raw const resource, &raw const how);
    let texture = made!(cuTexObjectCreate(resource, how, std::ptr::null()));
    let module = made!(cuModuleLoadData(FETCH.as_ptr().cast()));
    (texture, array, made!(cuModuleGetFunction(module, c"fetch".as_ptr())))
}

#[test]
fn a_texture_that_is_read_while_its_array_is_written() {
    racy([("fetch", Access::Read), ("cuMemcpyHtoAAsync_v2", Access::Write)], |parts| {
        let (texture, array, fetch) = texture();
        assert_eq!(launch(fetch, parts.a, &[texture]), 0);
        ok!(cuMemcpyHtoAAsync_v2(array, 0, parts.locked, 16, parts.b));
        ok!(cuCtxSynchronize());
        ok!(cuArrayDestroy(array));
    });
}

#[test]
fn a_texture_and_a_copy_of_one_stream() {
    right(|parts| {
        let (texture, array, fetch) = texture();
        ok!(cuMemcpyHtoAAsync_v2(array, 0, parts.locked, 16, parts.a));
        assert_eq!(launch(fetch, parts.a, &[texture]), 0);
        ok!(cuMemcpyAtoHAsync_v2(parts.locked, array, 0, 16, parts.a));
        ok!(cuCtxSynchronize());
        ok!(cuArrayDestroy(array));
    });
}
