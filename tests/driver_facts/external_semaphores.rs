//! Semaphores of other interfaces: F464, F466 to F469. They come from what `docs/software-driver.md` describes. A GPU was
//! asked for F467 to F469 with semaphores of Vulkan, by a program of its own: here they are left out on a GPU.
#![cfg(target_os = "linux")] // its handles are descriptors

use super::external::{close, is_open, other};
use crate::common::software;
use crate::raw::*;
use crate::{fresh, skip, skip_under_miri};
use cuscope::ffi::*;
use std::ffi::c_int;
use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd};
use std::os::unix::fs::FileExt;
use std::ptr::{null, null_mut};
use std::time::Duration;

/// Leaves the test where nothing exports semaphores.
macro_rules! needs_semaphores {
    () => {
        if !software() {
            skip!("no other interface exports semaphores");
        }
    };
}

fn semaphore_of(kind: u32, descriptor: c_int) -> CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC {
    // The rest of the handle is zeros: it counts for other kinds.
    let mut asked: CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC = all_zeros();
    asked.handle.fd = descriptor;
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC { r#type: CUexternalSemaphoreHandleType(kind), ..asked }
}

fn try_semaphore(asked: &CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC) -> (CUresult, CUexternalSemaphore) {
    let mut semaphore = null_mut();
    (code!(cuImportExternalSemaphore(&raw mut semaphore, asked)), semaphore)
}

/// F464
#[test]
fn imports_of_semaphores_leave_what_is_none() {
    skip_under_miri!("takes descriptors");
    let _context = create_context();
    let mut semaphore = null_mut();
    assert_eq!(code!(cuImportExternalSemaphore(&raw mut semaphore, null())), INVALID_VALUE);
    let descriptor = other();
    let good = semaphore_of(1, descriptor);
    assert_eq!(code!(cuImportExternalSemaphore(null_mut(), &raw const good)), INVALID_VALUE);
    for kind in [0, 11, 99] {
        assert_eq!(try_semaphore(&semaphore_of(kind, descriptor)).0, INVALID_VALUE);
    }
    for kind in [2, 3, 4, 5, 6, 7, 8, 10] {
        assert_eq!(try_semaphore(&semaphore_of(kind, descriptor)).0, NOT_SUPPORTED);
    }
    for kind in [1, 9] {
        let flags =
            CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC { flags: 1, ..semaphore_of(kind, descriptor) };
        assert_eq!(try_semaphore(&flags).0, INVALID_VALUE);
        assert_eq!(try_semaphore(&semaphore_of(kind, 9999)).0, UNKNOWN);
        assert_eq!(try_semaphore(&semaphore_of(kind, descriptor)).0, UNKNOWN);
    }
    assert_eq!(try_semaphore(&semaphore_of(1, -1)).0, UNKNOWN);
    assert_eq!(try_semaphore(&semaphore_of(9, -1)).0, INVALID_VALUE);
    assert!(is_open(descriptor));
    close(descriptor);
}

type Signal = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS;
type Wait = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS;

fn signal_to(value: u64) -> Signal {
    let mut signal: Signal = all_zeros();
    signal.params.fence.value = value;
    signal
}

fn wait_for(value: u64) -> Wait {
    let mut wait: Wait = all_zeros();
    wait.params.fence.value = value;
    wait
}

fn signal(semaphore: CUexternalSemaphore, value: u64, stream: CUstream) -> CUresult {
    let params = signal_to(value);
    code!(cuSignalExternalSemaphoresAsync(&raw const semaphore, &raw const params, 1, stream))
}

fn wait(semaphore: CUexternalSemaphore, value: u64, stream: CUstream) -> CUresult {
    let params = wait_for(value);
    code!(cuWaitExternalSemaphoresAsync(&raw const semaphore, &raw const params, 1, stream))
}

/// A timeline semaphore: its file, and what is imported of it.
fn timeline() -> (File, CUexternalSemaphore) {
    // SAFETY: the name is a string.
    let descriptor = unsafe { libc::memfd_create(c"timeline".as_ptr(), 0) };
    // SAFETY: new, and of nobody else.
    let file = unsafe { File::from_raw_fd(descriptor) };
    file.set_len(8).unwrap();
    let sent = file.try_clone().unwrap().into_raw_fd();
    let (code, semaphore) = try_semaphore(&semaphore_of(9, sent));
    assert_eq!((code, sent != file.as_raw_fd()), (SUCCESS, true));
    (file, semaphore)
}

fn value(file: &File) -> u64 {
    let mut bytes = [0; 8];
    file.read_exact_at(&mut bytes, 0).unwrap();
    u64::from_ne_bytes(bytes)
}

fn set(file: &File, value: u64) {
    file.write_all_at(&value.to_ne_bytes(), 0).unwrap();
}

/// F466
#[test]
fn signals_and_waits_are_of_some_semaphores() {
    let _context = create_context();
    let stream = free_stream();
    let (none, signal, wait) = (null_mut(), signal_to(1), wait_for(1));
    for at in [stream, null_mut()] {
        each_gives!(INVALID_VALUE; {
            cuSignalExternalSemaphoresAsync(null(), null(), 0, at);
            cuWaitExternalSemaphoresAsync(null(), null(), 0, at);
            cuSignalExternalSemaphoresAsync(&raw const none, &raw const signal, 0, at);
            cuWaitExternalSemaphoresAsync(&raw const none, &raw const wait, 0, at);
            cuSignalExternalSemaphoresAsync(null(), null(), 1, at);
            cuWaitExternalSemaphoresAsync(null(), null(), 1, at);
            cuWaitExternalSemaphoresAsync(&raw const none, &raw const wait, 1, at);
        });
    }
    assert_eq!(code!(cuDestroyExternalSemaphore(null_mut())), INVALID_VALUE);
}

/// F466, F467, F469
#[test]
fn timeline_semaphores_count() {
    skip_under_miri!("takes descriptors");
    needs_semaphores!();
    let far = create_context();
    let far_stream = free_stream();
    let own = create_context();
    let (file, semaphore) = timeline();
    let stream = free_stream();
    // Signals set the number, also to a smaller one.
    for number in [5, 3, 3, 6, u64::MAX] {
        assert_eq!(signal(semaphore, number, stream), SUCCESS);
        ok!(cuStreamSynchronize(stream));
        assert_eq!(value(&file), number);
    }
    set(&file, 4);
    for reached in [0, 3, 4] {
        assert_eq!(wait(semaphore, reached, stream), SUCCESS);
    }
    ok!(cuStreamSynchronize(stream));
    assert_eq!(wait(semaphore, 5, stream), SUCCESS);
    std::thread::sleep(Duration::from_millis(5));
    assert_eq!(code!(cuStreamQuery(stream)), NOT_READY);
    set(&file, 7);
    ok!(cuStreamSynchronize(stream));
    // Streams of another context are refused, whichever is current.
    assert_eq!(signal(semaphore, 8, far_stream), INVALID_VALUE);
    within(far, || {
        assert_eq!(signal(semaphore, 8, far_stream), INVALID_VALUE);
        assert_eq!(signal(semaphore, 9, stream), SUCCESS);
    });
    let mut flags = signal_to(10);
    flags.flags = 1;
    let refused =
        code!(cuSignalExternalSemaphoresAsync(&raw const semaphore, &raw const flags, 1, stream));
    assert_eq!(refused, INVALID_VALUE);
    // The default stream does not wait for this stream.
    ok!(cuStreamSynchronize(stream));
    assert_eq!(signal(semaphore, 11, null_mut()), SUCCESS);
    ok!(cuCtxSynchronize());
    assert_eq!(value(&file), 11);
    // The destroy waits for what uses it. It needs no context.
    assert_eq!(wait(semaphore, 12, stream), SUCCESS);
    assert_eq!(pop(), own);
    assert_eq!(signal(semaphore, 13, null_mut()), INVALID_VALUE);
    let semaphore = Sent::new(semaphore);
    std::thread::scope(|threads| {
        let destroy = threads.spawn(|| code!(cuDestroyExternalSemaphore(semaphore.take())));
        std::thread::sleep(Duration::from_millis(20));
        assert!(!destroy.is_finished());
        set(&file, 12);
        assert_eq!(destroy.join().unwrap(), SUCCESS);
    });
}

/// F469
#[test]
fn binary_semaphores_are_signalled_or_not() {
    skip_under_miri!("takes descriptors");
    needs_semaphores!();
    let _context = create_context();
    // SAFETY: makes a descriptor.
    let descriptor = unsafe { libc::eventfd(0, 0) };
    let (code, semaphore) = try_semaphore(&semaphore_of(1, descriptor));
    assert_eq!(code, SUCCESS);
    let (one, two) = (free_stream(), free_stream());
    for value in [77, 0] {
        assert_eq!(signal(semaphore, value, one), SUCCESS);
    }
    ok!(cuStreamSynchronize(one));
    assert_eq!(wait(semaphore, 3, one), SUCCESS);
    ok!(cuStreamSynchronize(one));
    assert_eq!(wait(semaphore, 0, one), SUCCESS);
    std::thread::sleep(Duration::from_millis(5));
    assert_eq!(code!(cuStreamQuery(one)), NOT_READY);
    assert_eq!(signal(semaphore, 0, two), SUCCESS);
    ok!(cuStreamSynchronize(one));
}

/// F468
#[test]
fn graphs_keep_signals_and_waits() {
    fresh!(graphs_keep_signals_and_waits, {
        skip_under_miri!("takes descriptors");
        needs_semaphores!();
        let _context = create_context();
        let (file, semaphore) = timeline();
        let (second_file, other) = timeline();
        let stream = free_stream();
        let (all, params) = ([semaphore, other], [signal_to(1), signal_to(8)]);
        let node_of = |place: usize, count: usize| CUDA_EXT_SEM_SIGNAL_NODE_PARAMS {
            extSemArray: all[place..].as_ptr().cast_mut(),
            paramsArray: params[place..].as_ptr(),
            numExtSems: count as u32,
        };
        let (one, both, second, none) =
            (node_of(0, 1), node_of(0, 2), node_of(1, 1), node_of(0, 0));
        let graph: CUgraph = made!(cuGraphCreate(0));
        let node: CUgraphNode =
            made!(cuGraphAddExternalSemaphoresSignalNode(graph, null(), 0, &raw const one));
        let told: CUDA_EXT_SEM_SIGNAL_NODE_PARAMS = {
            let mut told = all_zeros();
            ok!(cuGraphExternalSemaphoresSignalNodeGetParams(node, &raw mut told));
            told
        };
        // SAFETY: an array of one handle, which belongs to the node.
        let kept = unsafe { *told.extSemArray };
        // SAFETY: an array of the parameters of one signal, which belongs to the node.
        let params_kept = unsafe { *told.paramsArray };
        let told = (kept, params_kept.params.fence.value, told.numExtSems);
        assert_eq!(told, (semaphore, 1, 1));
        let exec: CUgraphExec = made!(cuGraphInstantiateWithFlags(graph, 0));
        each_gives!(INVALID_VALUE; {
            cuGraphExecExternalSemaphoresSignalNodeSetParams(exec, node, &raw const both);
            cuGraphExecExternalSemaphoresSignalNodeSetParams(exec, node, &raw const none);
            cuGraphExecExternalSemaphoresSignalNodeSetParams(exec, node, null());
            cuGraphExternalSemaphoresSignalNodeGetParams(node, null_mut());
            cuGraphExternalSemaphoresSignalNodeSetParams(node, null());
            cuGraphNodeSetEnabled(exec, node, 0);
        });
        let mut wrong = all_zeros();
        assert_eq!(
            code!(cuGraphExternalSemaphoresWaitNodeGetParams(node, &raw mut wrong)),
            INVALID_VALUE
        );
        // The node changes, and what was instantiated stays.
        ok!(cuGraphExternalSemaphoresSignalNodeSetParams(node, &raw const both));
        ok!(cuGraphLaunch(exec, stream));
        ok!(cuStreamSynchronize(stream));
        assert_eq!((value(&file), value(&second_file)), (1, 0));
        ok!(cuGraphExecExternalSemaphoresSignalNodeSetParams(exec, node, &raw const second));
        ok!(cuGraphLaunch(exec, stream));
        ok!(cuStreamSynchronize(stream));
        assert_eq!((value(&file), value(&second_file)), (1, 8));
        // A capture makes nodes of both kinds.
        ok!(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
        assert_eq!(
            (signal(semaphore, 20, stream), wait(semaphore, 20, stream)),
            (SUCCESS, SUCCESS)
        );
        let graph: CUgraph = {
            let mut graph = null_mut();
            ok!(cuStreamEndCapture(stream, &raw mut graph));
            graph
        };
        let (mut nodes, mut count) = ([null_mut(); 3], 3);
        ok!(cuGraphGetNodes(graph, nodes.as_mut_ptr(), &raw mut count));
        let kind = |node| {
            let mut kind = CUgraphNodeType(99);
            ok!(cuGraphNodeGetType(node, &raw mut kind));
            kind
        };
        assert_eq!(count, 2);
        assert_eq!(kind(nodes[0]), CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL);
        assert_eq!(kind(nodes[1]), CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT);
        assert_eq!(value(&file), 1);
        let captured: CUgraphExec = made!(cuGraphInstantiateWithFlags(graph, 0));
        ok!(cuGraphLaunch(captured, stream));
        ok!(cuStreamSynchronize(stream));
        assert_eq!(value(&file), 20);
    });
}

/// F468
#[test]
fn a_node_may_have_no_semaphores() {
    let _context = create_context();
    let graph: CUgraph = made!(cuGraphCreate(0));
    let (signals, waits) = (all_zeros(), all_zeros());
    let mut node = null_mut();
    each_gives!(INVALID_VALUE; {
        cuGraphAddExternalSemaphoresSignalNode(&raw mut node, graph, null(), 0, null());
        cuGraphAddExternalSemaphoresWaitNode(&raw mut node, graph, null(), 0, null());
    });
    ok!(cuGraphAddExternalSemaphoresSignalNode(
        &raw mut node,
        graph,
        null(),
        0,
        &raw const signals
    ));
    ok!(cuGraphAddExternalSemaphoresWaitNode(&raw mut node, graph, null(), 0, &raw const waits));
}
