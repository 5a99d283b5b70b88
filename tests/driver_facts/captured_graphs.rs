//! The work of a captured graph, and the memory that it is done on: F94, F146, F149, F150.
//!
//! A capture in GLOBAL mode concerns every thread, so that each test has a process of its own.

use crate::fresh;
use crate::raw::captures::*;
use crate::raw::*;
use cuscope::ffi::*;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::time::Instant;

/// Adds one to what the argument points to.
unsafe extern "C" fn count(to: *mut c_void) {
    let to = to.cast::<u32>();
    // SAFETY: the test passes a counter that outlives what is launched.
    let value = unsafe { to.read_volatile() };
    // SAFETY: as above.
    unsafe { to.write_volatile(value + 1) };
}

/// F146, F149
#[test]
fn captured_work_runs_at_replay_with_what_its_pointers_lead_to_then() {
    fresh!(captured_work_runs_at_replay_with_what_its_pointers_lead_to_then, {
        let place = place();
        let (stream, store) = (blocking_stream(), place.kernel(c"store_value"));
        let word = |i: u64| place.memory + 4 * i;
        let (mut pageable, mut back, mut calls) = (11_u32, 0_u32, 0_u32);
        let (from, to): (*mut u32, *mut u32) = (&raw mut pageable, &raw mut back);
        let counter: *mut u32 = &raw mut calls;
        begin(stream, GLOBAL);
        assert_eq!(launch(store, stream, &[word(0), 77]), SUCCESS);
        ok!(cuMemsetD32Async(word(1), 0x55, 1, stream));
        ok!(cuMemcpyHtoDAsync_v2(word(2), from.cast(), 4, stream));
        ok!(cuMemcpyHtoDAsync_v2(word(3), place.host, 4, stream));
        ok!(cuMemcpyDtoDAsync_v2(word(4), word(0), 4, stream));
        ok!(cuLaunchHostFunc(stream, Some(count), counter.cast()));
        ok!(cuMemcpyDtoHAsync_v2(to.cast(), word(0), 4, stream));
        // Nothing of: copies and fills of nothing.
        ok!(cuMemcpyHtoDAsync_v2(word(2), from.cast(), 0, stream));
        ok!(cuMemsetD32Async(word(1), 0x55, 0, stream));
        let graph = end(stream);
        assert_eq!(
            kinds(graph),
            [
                CU_GRAPH_NODE_TYPE_KERNEL,
                CU_GRAPH_NODE_TYPE_MEMSET,
                CU_GRAPH_NODE_TYPE_MEMCPY,
                CU_GRAPH_NODE_TYPE_MEMCPY,
                CU_GRAPH_NODE_TYPE_MEMCPY,
                CU_GRAPH_NODE_TYPE_HOST,
                CU_GRAPH_NODE_TYPE_MEMCPY,
            ]
        );
        assert_eq!(edges(graph), (0..6).map(|i| (i, i + 1)).collect::<Vec<_>>());
        ok!(cuCtxSynchronize());
        let words = || {
            let mut words = [0_u32; 5];
            ok!(cuMemcpyDtoH_v2(words.as_mut_ptr().cast(), place.memory, 20));
            words
        };
        let set = |value: u32| {
            // SAFETY: nothing runs that reads it.
            unsafe { from.write_volatile(value) };
            ok!(cuMemcpyHtoD_v2(word(5), from.cast(), 4));
            ok!(cuMemcpyDtoH_v2(place.host, word(5), 4));
        };
        let counted = || {
            // SAFETY: nothing runs that changes it.
            unsafe { counter.read_volatile() }
        };
        assert_eq!((words(), counted()), ([0; 5], 0));
        let exec = instantiate(graph);
        ok!(cuGraphDestroy(graph));
        for (run, value) in [(1, 12), (2, 13)] {
            set(value);
            replay(exec, place.stream);
            assert_eq!((words(), counted()), ([77, 0x55, value, value, 77], run));
        }
        // SAFETY: nothing runs that changes it.
        assert_eq!(unsafe { to.read_volatile() }, 77);
        ok!(cuGraphExecDestroy(exec));
        place.destroy();
    });
}

/// F94
#[test]
fn a_graph_that_stores_to_freed_memory_is_lost_with_the_process() {
    fresh!(a_graph_that_stores_to_freed_memory_is_lost_with_the_process, {
        let place = place();
        let (stream, store) = (free_stream(), place.kernel(c"store_value"));
        // Of more than a page, so that nothing else keeps the page.
        let mut memory = made!(cuMemAlloc_v2(4 << 20));
        begin(stream, GLOBAL);
        assert_eq!(launch(store, stream, &[memory, 1]), SUCCESS);
        let exec = instantiate(end(stream));
        replay(exec, stream);
        ok!(cuMemFree_v2(memory));
        ok!(cuGraphLaunch(exec, stream));
        assert_eq!(code!(cuStreamSynchronize(stream)), ILLEGAL_ADDRESS);
        assert_eq!(code!(cuMemAlloc_v2(&raw mut memory, 64)), ILLEGAL_ADDRESS);
    });
}

/// F149
#[test]
fn a_graph_that_copies_to_freed_memory_is_a_failed_launch() {
    fresh!(a_graph_that_copies_to_freed_memory_is_a_failed_launch, {
        let place = place();
        let stream = free_stream();
        let memory = made!(cuMemAlloc_v2(4 << 20));
        begin(stream, GLOBAL);
        ok!(cuMemcpyHtoDAsync_v2(memory, place.host, 64, stream));
        let graph = end(stream);
        ok!(cuMemFree_v2(memory));
        // Not noticed here.
        ok!(cuGraphLaunch(instantiate(graph), stream));
        assert_eq!(code!(cuStreamSynchronize(stream)), LAUNCH_FAILED);
    });
}

/// F149
#[test]
fn a_graph_runs_once_at_a_time() {
    fresh!(a_graph_runs_once_at_a_time, {
        let place = place();
        let stream = free_stream();
        begin(stream, GLOBAL);
        assert_eq!(launch(place.kernel(c"spin"), stream, &[LONG_NANOSECONDS]), SUCCESS);
        let exec = instantiate(end(stream));
        let start = Instant::now();
        ok!(cuGraphLaunch(exec, stream));
        ok!(cuGraphLaunch(exec, place.stream));
        ok!(cuStreamSynchronize(stream));
        ok!(cuStreamSynchronize(place.stream));
        assert!(start.elapsed() >= LONG * 2 * 9 / 10);
        place.destroy();
    });
}

/// F150
#[test]
fn graphs_are_made_of_nodes_and_list_them() {
    fresh!(graphs_are_made_of_nodes_and_list_them, {
        let place = place();
        let graph: CUgraph = made!(cuGraphCreate(0));
        let a: CUgraphNode = made!(cuGraphAddEmptyNode(graph, null(), 0));
        let b: CUgraphNode = made!(cuGraphAddEmptyNode(graph, &raw const a, 1));
        let twice = [a, a];
        let mut node = null_mut();
        each_gives!(INVALID_VALUE; {
            cuGraphAddEmptyNode(&raw mut node, graph, twice.as_ptr(), 2);
            cuGraphAddEmptyNode(&raw mut node, graph, null(), 1);
            cuGraphAddEmptyNode(&raw mut node, null_mut(), null(), 0);
            cuGraphAddHostNode(&raw mut node, graph, null(), 0, null());
            cuGraphAddKernelNode_v2(&raw mut node, graph, null(), 0, null());
            cuGraphAddMemcpyNode(&raw mut node, graph, null(), 0, null(), null_mut());
        });
        let (mut value, mut address) = (99_u64, place.memory);
        let mut arguments: [*mut c_void; 2] = [(&raw mut address).cast(), (&raw mut value).cast()];
        let mut launch: CUDA_KERNEL_NODE_PARAMS = all_zeros();
        launch.func = place.kernel(c"store_value");
        (launch.gridDimX, launch.gridDimY, launch.gridDimZ) = (1, 1, 1);
        (launch.blockDimX, launch.blockDimY, launch.blockDimZ) = (1, 1, 1);
        launch.kernelParams = arguments.as_mut_ptr();
        let c: CUgraphNode =
            made!(cuGraphAddKernelNode_v2(graph, &raw const b, 1, &raw const launch));
        launch.gridDimX = 0;
        let code =
            code!(cuGraphAddKernelNode_v2(&raw mut node, graph, null(), 0, &raw const launch));
        assert_eq!(code, INVALID_VALUE);
        launch.func = null_mut();
        let code =
            code!(cuGraphAddKernelNode_v2(&raw mut node, graph, null(), 0, &raw const launch));
        assert_eq!(code, INVALID_HANDLE);
        // The arguments were read.
        value = 98;
        assert_eq!(value, 98);
        let (mut calls, mut out) = (0_u32, 0_u32);
        let host = CUDA_HOST_NODE_PARAMS { r#fn: Some(count), userData: (&raw mut calls).cast() };
        let d: CUgraphNode = made!(cuGraphAddHostNode(graph, &raw const c, 1, &raw const host));
        let mut copy: CUDA_MEMCPY3D = all_zeros();
        (copy.srcMemoryType, copy.srcDevice) = (CU_MEMORYTYPE_DEVICE, place.memory);
        (copy.dstMemoryType, copy.dstHost) = (CU_MEMORYTYPE_HOST, (&raw mut out).cast());
        (copy.WidthInBytes, copy.Height, copy.Depth) = (4, 1, 1);
        let e: CUgraphNode =
            made!(cuGraphAddMemcpyNode(graph, &raw const d, 1, &raw const copy, place.context));
        for (width, height, depth) in [(0, 1, 1), (4, 0, 1), (4, 1, 0), (1 << 30, 1, 1)] {
            (copy.WidthInBytes, copy.Height, copy.Depth) = (width, height, depth);
            let (node, copy) = (&raw mut node, &raw const copy);
            let code = code!(cuGraphAddMemcpyNode(node, graph, null(), 0, copy, place.context));
            assert_eq!(code, INVALID_VALUE, "{width} {height} {depth}");
        }

        assert_eq!(nodes(graph), [a, b, c, d, e]);
        assert_eq!(
            kinds(graph),
            [
                CU_GRAPH_NODE_TYPE_EMPTY,
                CU_GRAPH_NODE_TYPE_EMPTY,
                CU_GRAPH_NODE_TYPE_KERNEL,
                CU_GRAPH_NODE_TYPE_HOST,
                CU_GRAPH_NODE_TYPE_MEMCPY,
            ]
        );
        assert_eq!(edges(graph), [(0, 1), (1, 2), (2, 3), (3, 4)]);
        // As many as there is room for; null after the last; no room is no answer.
        let mark = (&raw mut out).cast();
        let (mut room, mut count) = ([mark; 7], 2);
        ok!(cuGraphGetNodes(graph, room.as_mut_ptr(), &raw mut count));
        assert_eq!((count, room), (2, [a, b, mark, mark, mark, mark, mark]));
        count = 6;
        ok!(cuGraphGetRootNodes(graph, room.as_mut_ptr(), &raw mut count));
        assert_eq!(
            (count, room[0], room[1], room[5], room[6]),
            (1, a, null_mut(), null_mut(), mark)
        );
        count = 7;
        ok!(cuGraphNodeGetDependencies(e, room.as_mut_ptr(), &raw mut count));
        assert_eq!((count, room[0]), (1, d));
        count = 0;
        let mut kind = CUgraphNodeType(0);
        each_gives!(INVALID_VALUE; {
            cuGraphGetNodes(graph, room.as_mut_ptr(), &raw mut count);
            cuGraphGetNodes(graph, room.as_mut_ptr(), null_mut());
            cuGraphGetNodes(null_mut(), room.as_mut_ptr(), &raw mut count);
            cuGraphGetEdges(graph, room.as_mut_ptr(), null_mut(), &raw mut count);
            cuGraphNodeGetType(null_mut(), &raw mut kind);
            cuGraphNodeGetType(a, null_mut());
        });
        replay(instantiate(graph), place.stream);
        assert_eq!((out, calls), (99, 1));
        place.destroy();
    });
}
