//! Tools to ask the facts about captures: modes, ends, the contents of a graph, and another thread.

use crate::raw::*;
use cuscope::ffi::*;
use std::ptr::null_mut;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

/// The answer of a capture that refuses a call.
pub(crate) const UNSUPPORTED: CUresult = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
/// The answer of a capture that was invalidated by that.
pub(crate) const INVALIDATED: CUresult = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
/// For the legacy stream, while a blocking one is under capture.
pub(crate) const IMPLICIT: CUresult = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
pub(crate) const ILLEGAL_STATE: CUresult = CUDA_ERROR_ILLEGAL_STATE;

pub(crate) const GLOBAL: CUstreamCaptureMode = CU_STREAM_CAPTURE_MODE_GLOBAL;
pub(crate) const THREAD_LOCAL: CUstreamCaptureMode = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
pub(crate) const RELAXED: CUstreamCaptureMode = CU_STREAM_CAPTURE_MODE_RELAXED;
pub(crate) const MODES: [CUstreamCaptureMode; 3] = [GLOBAL, THREAD_LOCAL, RELAXED];

pub(crate) const NONE: CUstreamCaptureStatus = CU_STREAM_CAPTURE_STATUS_NONE;
pub(crate) const ACTIVE: CUstreamCaptureStatus = CU_STREAM_CAPTURE_STATUS_ACTIVE;
pub(crate) const INVALID: CUstreamCaptureStatus = CU_STREAM_CAPTURE_STATUS_INVALIDATED;

/// The legacy default stream.
pub(crate) const LEGACY: CUstream = null_mut();

/// A stream that the legacy one waits for.
pub(crate) fn blocking_stream() -> CUstream {
    made!(cuStreamCreate(0))
}

pub(crate) fn begin(stream: CUstream, mode: CUstreamCaptureMode) {
    ok!(cuStreamBeginCapture_v2(stream, mode));
}

/// Allocation is allowed.
pub(crate) fn assert_allocates() {
    let memory = made!(cuMemAlloc_v2(64));
    ok!(cuMemFree_v2(memory));
}

/// The graph of a capture that ends well.
pub(crate) fn end(stream: CUstream) -> CUgraph {
    let mut graph = null_mut();
    ok!(cuStreamEndCapture(stream, &raw mut graph));
    assert!(!graph.is_null());
    graph
}

/// The code of an end that gives no graph.
pub(crate) fn bad_end(stream: CUstream) -> CUresult {
    let mut graph = null_mut::<u8>().wrapping_add(16).cast();
    let code = code!(cuStreamEndCapture(stream, &raw mut graph));
    assert!(graph.is_null());
    code
}

pub(crate) fn status(stream: CUstream) -> CUstreamCaptureStatus {
    let mut status = INVALID;
    ok!(cuStreamIsCapturing(stream, &raw mut status));
    status
}

/// Runs `f` with the calling thread in a capture mode.
pub(crate) fn in_mode<R>(mode: CUstreamCaptureMode, f: impl FnOnce() -> R) -> R {
    let mut swapped = mode;
    ok!(cuThreadExchangeStreamCaptureMode(&raw mut swapped));
    let result = f();
    ok!(cuThreadExchangeStreamCaptureMode(&raw mut swapped));
    assert_eq!(swapped, mode);
    result
}

pub(crate) fn nodes(graph: CUgraph) -> Vec<CUgraphNode> {
    let mut count = 0;
    ok!(cuGraphGetNodes(graph, null_mut(), &raw mut count));
    let mut nodes = vec![null_mut(); count];
    if count > 0 {
        ok!(cuGraphGetNodes(graph, nodes.as_mut_ptr(), &raw mut count));
    }
    nodes
}

pub(crate) fn kinds(graph: CUgraph) -> Vec<CUgraphNodeType> {
    let kind = |node| {
        let mut kind = CUgraphNodeType(99);
        ok!(cuGraphNodeGetType(node, &raw mut kind));
        kind
    };
    nodes(graph).into_iter().map(kind).collect()
}

/// The edges, by the places of their ends among the nodes.
pub(crate) fn edges(graph: CUgraph) -> Vec<(usize, usize)> {
    let mut count = 0;
    ok!(cuGraphGetEdges(graph, null_mut(), null_mut(), &raw mut count));
    let (mut from, mut to) = (vec![null_mut(); count], vec![null_mut(); count]);
    if count > 0 {
        ok!(cuGraphGetEdges(graph, from.as_mut_ptr(), to.as_mut_ptr(), &raw mut count));
    }
    let nodes = nodes(graph);
    let place = |node| nodes.iter().position(|&one| one == node).expect("a node of the graph");
    let mut edges: Vec<_> =
        from.into_iter().zip(to).map(|(from, to)| (place(from), place(to))).collect();
    edges.sort_unstable();
    edges
}

pub(crate) fn instantiate(graph: CUgraph) -> CUgraphExec {
    made!(cuGraphInstantiateWithFlags(graph, 0))
}

/// Runs a graph to its end.
pub(crate) fn replay(exec: CUgraphExec, stream: CUstream) {
    ok!(cuGraphLaunch(exec, stream));
    ok!(cuStreamSynchronize(stream));
}

/// A thread that calls when it is told.
pub(crate) struct Other {
    pub(crate) jobs: Sender<Box<dyn FnOnce() + Send>>,
}

impl Other {
    /// Starts one, with the calling thread's context current.
    pub(crate) fn new() -> Self {
        let (jobs, received): (_, Receiver<Box<dyn FnOnce() + Send>>) = channel();
        let context = Sent::new(current());
        thread::spawn(move || {
            ok!(cuCtxPushCurrent_v2(context.take()));
            received.into_iter().for_each(|job| job());
        });
        Self { jobs }
    }

    /// Returns the result of `f` there for a stream.
    pub(crate) fn with(
        &self,
        stream: CUstream,
        f: impl FnOnce(CUstream) -> CUresult + Send + 'static,
    ) -> CUresult {
        let (send, result) = channel();
        let stream = Sent::new(stream);
        let job = move || send.send(f(stream.take()).0).expect("the test waits");
        self.jobs.send(Box::new(job)).expect("the thread waits");
        CUresult(result.recv().expect("the job ends"))
    }

    pub(crate) fn begin(&self, stream: CUstream, mode: CUstreamCaptureMode) {
        assert_eq!(
            self.with(stream, move |stream| code!(cuStreamBeginCapture_v2(stream, mode))),
            SUCCESS
        );
    }

    pub(crate) fn end(&self, stream: CUstream) -> CUresult {
        self.with(stream, |stream| {
            let mut graph = null_mut();
            let code = code!(cuStreamEndCapture(stream, &raw mut graph));
            assert_eq!(graph.is_null(), code != SUCCESS);
            code
        })
    }
}
