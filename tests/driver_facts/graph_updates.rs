//! Graphs that can run: updated, and brought to the device: F210 and F211.

use crate::fresh;
use crate::raw::*;
use cuscope::ffi::*;
use std::ptr::null_mut;

const GLOBAL: CUstreamCaptureMode = CU_STREAM_CAPTURE_MODE_GLOBAL;
const RELAXED: CUstreamCaptureMode = CU_STREAM_CAPTURE_MODE_RELAXED;

/// The graph of a capture that was not spoiled.
fn end(stream: CUstream) -> CUgraph {
    let mut graph = null_mut();
    ok!(cuStreamEndCapture(stream, &raw mut graph));
    graph
}

/// An operation of a graph on a word of 32 bits.
#[derive(Clone, Copy)]
enum Step {
    /// Sets the word of this number.
    Fill(u64, u32),
    /// Copies the first word to it.
    Copy(u64),
}
use Step::Fill;

/// A graph of steps.
fn graph(place: &Place, steps: &[Step]) -> CUgraph {
    ok!(cuStreamBeginCapture_v2(place.stream, RELAXED));
    for step in steps {
        match *step {
            Fill(at, value) => {
                ok!(cuMemsetD32Async(place.memory + 4 * at, value, 1, place.stream));
            }
            Step::Copy(at) => {
                let to = place.memory + 4 * at;
                ok!(cuMemcpyDtoDAsync_v2(to, place.memory, 4, place.stream));
            }
        }
    }
    end(place.stream)
}

fn update(exec: CUgraphExec, graph: CUgraph) -> (CUresult, CUgraphExecUpdateResult) {
    let mut info = CUgraphExecUpdateResultInfo {
        result: CUgraphExecUpdateResult(99),
        errorNode: null_mut(),
        errorFromNode: null_mut(),
    };
    let code = code!(cuGraphExecUpdate_v2(exec, graph, &raw mut info));
    (code, info.result)
}

/// The first words, once the graph has run on zeros.
fn run(place: &Place, exec: CUgraphExec) -> [u32; 3] {
    ok!(cuMemsetD32Async(place.memory, 0, 3, place.stream));
    ok!(cuGraphLaunch(exec, place.stream));
    ok!(cuStreamSynchronize(place.stream));
    let mut words = [9; 3];
    ok!(cuMemcpyDtoH_v2(words.as_mut_ptr().cast(), place.memory, 12));
    words
}

/// F210
#[test]
fn a_graph_with_the_same_nodes_updates_one_that_can_run() {
    fresh!(a_graph_with_the_same_nodes_updates_one_that_can_run, {
        let place = place();
        let steps = [Fill(0, 1), Fill(1, 2)];
        let exec: CUgraphExec = made!(cuGraphInstantiateWithFlags(graph(&place, &steps), 0));
        assert_eq!(run(&place, exec), [1, 2, 0]);

        let other = graph(&place, &[Fill(0, 11), Fill(2, 12)]);
        let updated = (SUCCESS, CU_GRAPH_EXEC_UPDATE_SUCCESS);
        assert_eq!(update(exec, other), updated);
        ok!(cuGraphDestroy(other));
        assert_eq!(run(&place, exec), [11, 0, 12]);

        // A difference is refused, and changes nothing: not even the nodes before the one that differs.
        let failed = CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
        let topology = (failed, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
        assert_eq!(update(exec, graph(&place, &[Fill(0, 21)])), topology);
        assert_eq!(update(exec, graph(&place, &[Fill(0, 21); 3])), topology);
        let kind = (failed, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED);
        assert_eq!(update(exec, graph(&place, &[Fill(0, 31), Step::Copy(1)])), kind);
        assert_eq!(run(&place, exec), [11, 0, 12]);
        assert_eq!(update(exec, null_mut()).0, INVALID_VALUE);

        // No context, no answer wanted, and a capture in another stream that refuses what is unsafe.
        let captured: CUstream = made!(cuStreamCreate(1));
        ok!(cuStreamBeginCapture_v2(captured, GLOBAL));
        let other = graph(&place, &steps);
        let mut top = null_mut();
        ok!(cuCtxPopCurrent_v2(&raw mut top));
        ok!(cuGraphExecUpdate_v2(exec, other, null_mut()));
        ok!(cuCtxPushCurrent_v2(top));
        end(captured);
        assert_eq!(run(&place, exec), [1, 2, 0]);
    });
}

/// F211
#[test]
fn a_graph_is_uploaded_whatever_is_current() {
    fresh!(a_graph_is_uploaded_whatever_is_current, {
        let place = place();
        let of_fill = graph(&place, &[Fill(0, 1)]);
        let exec: CUgraphExec = made!(cuGraphInstantiateWithFlags(of_fill, 0));
        let captured: CUstream = made!(cuStreamCreate(1));
        ok!(cuStreamBeginCapture_v2(captured, GLOBAL));
        let mut top = null_mut();
        ok!(cuCtxPopCurrent_v2(&raw mut top));
        ok!(cuGraphUpload(exec, place.stream));
        ok!(cuCtxPushCurrent_v2(top));
        let mut none = null_mut();
        ok!(cuStreamEndCapture(captured, &raw mut none));
        assert_eq!(code!(cuGraphUpload(null_mut(), place.stream)), INVALID_VALUE);

        ok!(cuStreamBeginCapture_v2(captured, RELAXED));
        let code = code!(cuGraphUpload(exec, captured));
        assert_eq!(code, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
        let code = code!(cuStreamEndCapture(captured, &raw mut none));
        assert_eq!(code, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
        assert_eq!(run(&place, exec), [1, 0, 0]);
    });
}
