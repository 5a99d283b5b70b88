//! Allocations and frees of pools in captures: F605.

use crate::fresh;
use crate::pools::properties;
use crate::raw::captures::*;
use crate::raw::*;
use cuscope::ffi::*;
use std::ptr::null_mut;

const NOT_SUPPORTED: CUresult = CUDA_ERROR_NOT_SUPPORTED;
const ALLOC: CUgraphNodeType = CU_GRAPH_NODE_TYPE_MEM_ALLOC;
const FREE: CUgraphNodeType = CU_GRAPH_NODE_TYPE_MEM_FREE;

/// Captures what `f` does in relaxed mode, which is not invalidated by it, and gives the kinds of nodes.
fn captured(stream: CUstream, f: impl FnOnce()) -> (CUgraph, Vec<CUgraphNodeType>) {
    begin(stream, RELAXED);
    f();
    assert_eq!(status(stream), ACTIVE);
    let graph = end(stream);
    (graph, kinds(graph))
}

/// The answer to an allocation from a pool, and what it wrote.
fn alloc(bytes: usize, pool: CUmemoryPool, stream: CUstream) -> (CUresult, CUdeviceptr) {
    let mut address = 7;
    (code!(cuMemAllocFromPoolAsync(&raw mut address, bytes, pool, stream)), address)
}

/// F605
#[test]
fn memory_is_allocated_and_freed_in_a_capture() {
    fresh!(memory_is_allocated_and_freed_in_a_capture, {
        let place = place();
        let (stream, other) = (place.stream, free_stream());
        let default: CUmemoryPool = made!(cuDeviceGetDefaultMemPool(device()));
        for mode in [GLOBAL, THREAD_LOCAL, RELAXED] {
            begin(stream, mode);
            let memory = made!(cuMemAllocAsync(64, stream));
            ok!(cuMemFreeAsync(memory, stream));
            assert_eq!(kinds(end(stream)), [ALLOC, FREE]);
        }
        let without_context = captured(stream, || {
            let context = pop();
            assert_eq!(alloc(4, default, stream).0, SUCCESS);
            ok!(cuCtxPushCurrent_v2(context));
        });
        assert_eq!(without_context.1, [ALLOC]);

        // The pools, and what the node tells.
        let with = |change: fn(&mut CUmemPoolProps)| {
            let mut asked = properties();
            change(&mut asked);
            let pool: CUmemoryPool = made!(cuMemPoolCreate(&raw const asked));
            let mut answer = (SUCCESS, 0);
            let (graph, kinds) = captured(stream, || answer = alloc(100, pool, stream));
            ok!(cuMemPoolDestroy(pool));
            if answer.0 != SUCCESS {
                assert_eq!((kinds.len(), answer.1), (0, 0));
                return answer.0;
            }
            assert_eq!(kinds, [ALLOC]);
            let mut told: CUDA_MEM_ALLOC_NODE_PARAMS = all_zeros();
            ok!(cuGraphMemAllocNodeGetParams(nodes(graph)[0], &raw mut told));
            assert_eq!((told.dptr, told.bytesize, told.accessDescCount), (answer.1, 100, 0));
            assert_eq!((told.poolProps.maxSize, told.poolProps.usage), (0, 0));
            assert_eq!(told.poolProps.handleTypes, CU_MEM_HANDLE_TYPE_NONE);
            // SAFETY: the union has numbers alone.
            assert_eq!(unsafe { told.poolProps.location.anonymous.id }, device());
            SUCCESS
        };
        assert_eq!(with(|_| ()), SUCCESS);
        assert_eq!(with(|asked| asked.maxSize = 1 << 20), SUCCESS);
        let file = |asked: &mut CUmemPoolProps| {
            asked.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
        };
        assert_eq!(with(file), NOT_SUPPORTED);
        let host = |asked: &mut CUmemPoolProps| {
            asked.location.r#type = CU_MEM_LOCATION_TYPE_HOST;
            asked.location.anonymous.id = 0;
        };
        assert_eq!(with(host), NOT_SUPPORTED);

        // What is refused invalidates nothing.
        let outside = made!(cuMemAllocAsync(64, stream));
        let (_, kinds) = captured(stream, || {
            assert_eq!(alloc(0, default, stream), (SUCCESS, 0));
            assert_eq!(alloc(1 << 50, default, stream).0, OUT_OF_MEMORY);
            assert_eq!(alloc(4, null_mut(), stream).0, INVALID_VALUE);
            assert_eq!(code!(cuMemAllocAsync(null_mut(), 4, stream)), INVALID_VALUE);
            let memory = made!(cuMemAllocAsync(64, stream));
            each_gives!(INVALID_VALUE; {
                cuMemFreeAsync(memory + 16, stream);
                cuMemFreeAsync(outside, stream);
                cuMemFreeAsync(place.memory, stream);
                cuMemFreeAsync(memory, other);
                cuMemFree_v2(memory);
                cuMemsetD32Async(memory, 7, 16, other);
            });
            let mut context: CUcontext = null_mut();
            let about = CU_POINTER_ATTRIBUTE_CONTEXT;
            let told = code!(cuPointerGetAttribute((&raw mut context).cast(), about, memory));
            assert_eq!(told, INVALID_VALUE);
            ok!(cuMemFreeAsync(0, stream));
            ok!(cuMemFreeAsync(memory, stream));
            assert_eq!(code!(cuMemFreeAsync(memory, stream)), INVALID_VALUE);
        });
        assert_eq!(kinds, [ALLOC, FREE]);
        ok!(cuMemFreeAsync(outside, stream));
        ok!(cuStreamSynchronize(stream));
        place.destroy();
    });
}

/// F605
#[test]
fn what_a_capture_allocates_is_there_while_its_graph_has_run() {
    let place = place();
    let stream = place.stream;
    let mut memory = 0;
    let (graph, kinds) = captured(stream, || {
        memory = made!(cuMemAllocAsync(64, stream));
        ok!(cuMemsetD32Async(memory, 7, 16, stream));
        ok!(cuMemcpyDtoDAsync_v2(place.memory, memory, 4, stream));
    });
    assert_eq!(kinds[0], ALLOC);
    let exec = instantiate(graph);
    let mut second = null_mut();
    assert_eq!(code!(cuGraphInstantiateWithFlags(&raw mut second, graph, 0)), NOT_SUPPORTED);
    assert_eq!(code!(cuMemFreeAsync(memory, stream)), INVALID_VALUE);
    replay(exec, stream);
    assert_eq!(place.value(), 7);
    // It has left the memory, which a call or another graph frees.
    assert_eq!(code!(cuGraphLaunch(exec, stream)), INVALID_VALUE);
    ok!(cuMemFreeAsync(memory, stream));
    assert_eq!(code!(cuMemFreeAsync(memory, stream)), INVALID_VALUE);
    replay(exec, stream);
    ok!(cuMemFree_v2(memory));
    let (freeing, kinds) = captured(stream, || ok!(cuMemFreeAsync(memory, stream)));
    assert_eq!(kinds, [FREE]);
    let freeing = instantiate(freeing);
    replay(exec, stream);
    replay(freeing, stream);
    assert_eq!(code!(cuGraphLaunch(freeing, stream)), INVALID_VALUE);
    ok!(cuGraphDestroy(graph));
    assert_eq!(captured(stream, || ok!(cuMemFreeAsync(memory, stream))).1, [FREE]);
    ok!(cuGraphExecDestroy(exec));
    ok!(cuGraphExecDestroy(freeing));
    place.destroy();
}
