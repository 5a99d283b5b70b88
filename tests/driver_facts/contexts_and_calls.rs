//! Which calls need a current context, and what a handle does in the wrong one: F30 to F42.
//!
//! `A` is the context that the handles belong to; `B` is another one on the same device.

use crate::dangling;
use crate::raw::*;
use cuscope::ffi::{
    CU_FUNC_ATTRIBUTE_NUM_REGS, CU_MEMORYTYPE_DEVICE, CU_POINTER_ATTRIBUTE_CONTEXT,
    CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CUDA_MEMSET_NODE_PARAMS, CUgraph, CUgraphExec, CUgraphNode,
    CUstream_flags,
};
use std::ffi::CStr;
use std::ptr::{null, null_mut};
use std::time::Instant;

/// Runs `body` with no context current, and again with that of `other`.
fn with_none_and_with(other: &Place, mut body: impl FnMut()) {
    assert!(current().is_null());
    body();
    within(other.context, body);
}

/// F30
#[test]
fn a_launch_on_a_stream_of_the_functions_context_needs_no_current_context() {
    let (a, b) = (Place::new(), Place::new());
    let store = a.kernel(c"store_value");
    let mut value = 1;
    with_none_and_with(&b, || {
        assert_eq!(launch(store, a.stream, &[a.memory, value]), SUCCESS);
        ok!(cuStreamSynchronize(a.stream));
        value += 1;
    });
    assert_eq!(a.value(), 2);
    a.destroy();
    b.destroy();
}

/// F31
#[test]
fn a_launch_on_the_null_stream_is_one_of_the_current_context() {
    let (a, b) = (Place::new(), Place::new());
    let nothing = a.kernel(c"nothing");
    assert_eq!(launch(nothing, null_mut(), &[]), INVALID_CONTEXT);
    assert_eq!(within(b.context, || launch(nothing, null_mut(), &[])), INVALID_HANDLE);
    assert_eq!(within(a.context, || launch(nothing, null_mut(), &[])), SUCCESS);
    a.destroy();
    b.destroy();
}

/// F32
#[test]
fn a_launch_on_a_stream_of_another_context_is_invalid_handle() {
    let (a, b) = (Place::new(), Place::new());
    let (of_a, of_b) = (a.kernel(c"nothing"), b.kernel(c"nothing"));
    within(b.context, || {
        assert_eq!(launch(of_a, b.stream, &[]), INVALID_HANDLE);
        assert_eq!(launch(of_b, a.stream, &[]), INVALID_HANDLE);
    });
    a.destroy();
    b.destroy();
}

/// F33
#[test]
fn copies_and_fills_without_a_stream_need_some_context() {
    let (a, b) = (Place::new(), Place::new());
    let word = size_of::<u32>();
    let half = a.memory + 2048;
    let mut value = 5_u32;

    each_gives!(INVALID_CONTEXT; {
        cuMemcpyHtoD_v2(a.memory, (&raw const value).cast(), word);
        cuMemcpyDtoH_v2((&raw mut value).cast(), a.memory, word);
        cuMemcpyDtoD_v2(half, a.memory, word);
        cuMemsetD8_v2(a.memory, 1, word);
        cuMemsetD16_v2(a.memory, 1, 2);
        cuMemsetD32_v2(a.memory, 1, 1);
    });
    assert_eq!((a.value(), value), (0, 5));

    within(b.context, || {
        ok!(cuMemcpyHtoD_v2(half, (&raw const value).cast(), word));
        ok!(cuMemcpyDtoD_v2(a.memory, half, word));
        value = 0;
        ok!(cuMemcpyDtoH_v2((&raw mut value).cast(), a.memory, word));
        assert_eq!(value, 5);
        ok!(cuMemsetD8_v2(a.memory, 1, word));
        ok!(cuMemsetD16_v2(a.memory, 2, 2));
        ok!(cuMemsetD32_v2(a.memory, 3, 1));
        ok!(cuCtxSynchronize());
    });
    assert_eq!(a.value(), 3);
    a.destroy();
    b.destroy();
}

/// F34
#[test]
fn asynchronous_copies_and_fills_take_any_memory_on_any_stream() {
    let (a, b) = (Place::new(), Place::new());
    let word = size_of::<u32>();
    with_none_and_with(&b, || {
        // Memory of the stream's own context, then of the other.
        for memory in [a.memory, b.memory] {
            let (sent, mut back) = (0x0102_0304_u32, 0_u32);
            ok!(cuMemcpyHtoDAsync_v2(memory + 2048, (&raw const sent).cast(), word, a.stream));
            ok!(cuMemcpyDtoDAsync_v2(memory, memory + 2048, word, a.stream));
            ok!(cuMemcpyDtoHAsync_v2((&raw mut back).cast(), memory, word, a.stream));
            ok!(cuStreamSynchronize(a.stream));
            assert_eq!(back, sent);
            ok!(cuMemsetD8Async(memory, 1, word, a.stream));
            ok!(cuMemsetD16Async(memory, 2, 2, a.stream));
            ok!(cuMemsetD32Async(memory, 3, 1, a.stream));
            ok!(cuStreamSynchronize(a.stream));
        }
    });
    assert_eq!((a.value(), b.value()), (3, 3));
    a.destroy();
    b.destroy();
}

/// F35
#[test]
fn a_kernel_writes_the_memory_of_another_context() {
    let (a, b) = (Place::new(), Place::new());
    assert_eq!(launch(a.kernel(c"store_value"), a.stream, &[b.memory, 17]), SUCCESS);
    ok!(cuStreamSynchronize(a.stream));
    assert_eq!(b.value(), 17);
    a.destroy();
    b.destroy();
}

/// F36
#[test]
fn an_event_is_recorded_in_its_own_context_and_awaited_in_any() {
    let (a, b) = (Place::new(), Place::new());
    within(b.context, || {
        assert_eq!(code!(cuEventRecord(a.event, b.stream)), INVALID_HANDLE);
        assert_eq!(code!(cuEventRecord(b.event, a.stream)), INVALID_HANDLE);
        ok!(cuEventRecord(a.event, a.stream));
        ok!(cuStreamWaitEvent(b.stream, a.event, 0));
        ok!(cuStreamSynchronize(b.stream));
    });
    a.destroy();
    b.destroy();
}

/// F37
#[test]
fn streams_and_events_answer_whatever_is_current() {
    let (a, b) = (Place::new(), Place::new());
    let spin = a.kernel(c"spin");
    let end: CUevent = within(a.context, || made!(cuEventCreate(0)));
    with_none_and_with(&b, || {
        let mut flags = 0;
        ok!(cuStreamGetFlags(a.stream, &raw mut flags));
        assert_eq!(flags, CUstream_flags::CU_STREAM_NON_BLOCKING.bits());
        let mut context = null_mut();
        ok!(cuStreamGetCtx(a.stream, &raw mut context));
        assert_eq!(context, a.context);

        let start = Instant::now();
        ok!(cuEventRecord(a.event, a.stream));
        assert_eq!(launch(spin, a.stream, &[LONG_NANOSECONDS]), SUCCESS);
        ok!(cuEventRecord(end, a.stream));
        for code in [code!(cuStreamQuery(a.stream)), code!(cuEventQuery(end))] {
            // On a machine that was held up for so long, the kernel may be through.
            assert!(code == NOT_READY || start.elapsed() >= LONG, "{code:?}");
        }
        ok!(cuEventSynchronize(end));
        assert!(start.elapsed() >= LONG, "the wait did not wait");
        ok!(cuStreamSynchronize(a.stream));
        ok!(cuStreamQuery(a.stream));
        ok!(cuEventQuery(end));
        let mut milliseconds = 0.0;
        ok!(cuEventElapsedTime(&raw mut milliseconds, a.event, end));
        assert!((250.0..100_000.0).contains(&milliseconds), "{milliseconds}");
    });
    a.destroy();
    b.destroy();
}

/// F38
#[test]
fn modules_functions_and_pointers_answer_whatever_is_current() {
    let (a, b) = (Place::new(), Place::new());
    with_none_and_with(&b, || {
        let function: CUfunction = made!(cuModuleGetFunction(a.module, c"nothing".as_ptr()));
        let (mut address, mut bytes) = (0, 0);
        ok!(cuModuleGetGlobal_v2(&raw mut address, &raw mut bytes, a.module, c"answer".as_ptr()));
        assert_ne!(address, 0);
        assert_eq!(bytes, size_of::<u32>());
        let mut registers = -1;
        ok!(cuFuncGetAttribute(&raw mut registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function));
        assert!(registers >= 0, "{registers}");

        let (mut context, mut kind): (CUcontext, u32) = (null_mut(), 0);
        ok!(cuPointerGetAttribute(
            (&raw mut context).cast(),
            CU_POINTER_ATTRIBUTE_CONTEXT,
            a.memory
        ));
        assert_eq!(context, a.context);
        ok!(cuPointerGetAttribute(
            (&raw mut kind).cast(),
            CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
            a.memory
        ));
        assert_eq!(kind, CU_MEMORYTYPE_DEVICE.0);
    });
    a.destroy();
    b.destroy();
}

/// F39
#[test]
fn the_range_of_an_address_needs_a_current_context() {
    let a = Place::new();
    let (mut base, mut bytes) = (0, 0);
    assert_eq!(
        code!(cuMemGetAddressRange_v2(&raw mut base, &raw mut bytes, a.memory)),
        INVALID_CONTEXT
    );
    within(a.context, || {
        ok!(cuMemGetAddressRange_v2(&raw mut base, &raw mut bytes, a.memory + 100));
    });
    assert_eq!((base, bytes), (a.memory, Place::BYTES));
    a.destroy();
}

/// F40
#[test]
fn everything_is_released_whatever_is_current() {
    let b = Place::new();
    with_none_and_with(&b, || {
        // Inside, the new context goes on top of what is current and is popped again.
        let a = Place::new();
        let pooled: CUdeviceptr = made!(cuMemAllocAsync(Place::BYTES, a.stream));
        ok!(cuMemFreeAsync(pooled, a.stream));
        ok!(cuStreamSynchronize(a.stream));
        ok!(cuMemFree_v2(a.memory));
        ok!(cuMemFreeHost(a.host));
        ok!(cuEventDestroy_v2(a.event));
        ok!(cuModuleUnload(a.module));
        ok!(cuStreamDestroy_v2(a.stream));
        a.destroy();
    });
    b.destroy();
}

/// F41
#[test]
fn graphs_are_made_and_run_whatever_is_current() {
    let (a, b) = (Place::new(), Place::new());
    let mut value = 8;
    with_none_and_with(&b, || {
        let graph: CUgraph = made!(cuGraphCreate(0));
        let fill = CUDA_MEMSET_NODE_PARAMS {
            dst: a.memory,
            pitch: 0,
            value,
            elementSize: 4,
            width: 1,
            height: 1,
        };
        let _node: CUgraphNode =
            made!(cuGraphAddMemsetNode(graph, null(), 0, &raw const fill, a.context));
        let mut exec: CUgraphExec = null_mut();
        let code = code!(cuGraphInstantiateWithFlags(&raw mut exec, graph, 0));
        if current().is_null() {
            assert_eq!(code, INVALID_CONTEXT);
            within(b.context, || ok!(cuGraphInstantiateWithFlags(&raw mut exec, graph, 0)));
        } else {
            assert_eq!(code, SUCCESS);
        }
        // On a stream of the context of its nodes, and on one of another.
        for stream in [a.stream, b.stream] {
            within(a.context, || ok!(cuMemsetD32_v2(a.memory, 0, 1)));
            within(a.context, || ok!(cuCtxSynchronize()));
            ok!(cuGraphLaunch(exec, stream));
            ok!(cuStreamSynchronize(stream));
            assert_eq!(a.value(), value);
        }
        ok!(cuGraphExecDestroy(exec));
        ok!(cuGraphDestroy(graph));
        value += 1;
    });
    a.destroy();
    b.destroy();
}

/// F42
#[test]
fn handles_of_a_destroyed_context_are_refused() {
    // Alone in a process: elsewhere a new handle may get the value of a dead one.
    dangling!(handles_of_a_destroyed_context_are_refused, {
        let (a, b) = (Place::new(), Place::new());
        let nothing = a.kernel(c"nothing");
        ok!(cuCtxDestroy_v2(a.context));
        with_none_and_with(&b, || {
            each_gives!(CONTEXT_IS_DESTROYED; {
                cuStreamSynchronize(a.stream);
                cuStreamQuery(a.stream);
            });
            let (name, mut function): (&CStr, _) = (c"nothing", null_mut());
            let mut registers = 0;
            each_gives!(INVALID_HANDLE; {
                cuModuleGetFunction(&raw mut function, a.module, name.as_ptr());
                cuFuncGetAttribute(&raw mut registers, CU_FUNC_ATTRIBUTE_NUM_REGS, nothing);
            });
            assert_eq!(code!(cuMemFree_v2(a.memory)), INVALID_VALUE);
        });
        within(b.context, || {
            assert_eq!(launch(nothing, b.stream, &[]), INVALID_HANDLE);
            assert_eq!(code!(cuMemsetD8_v2(a.memory, 0, 1)), INVALID_VALUE);
        });
        b.destroy();
    });
}
