//! Captures into graphs of the program, and changes of what captured work depends on: F561 to F563.

use crate::fresh;
use crate::raw::captures::*;
use crate::raw::*;
use cuscope::ffi::*;
use std::ptr::{null, null_mut};

const STATE: CUresult = CUDA_ERROR_ILLEGAL_STATE;
const FILL: CUgraphNodeType = CU_GRAPH_NODE_TYPE_MEMSET;
const EMPTY: CUgraphNodeType = CU_GRAPH_NODE_TYPE_EMPTY;
const PLAIN: CUgraphEdgeData =
    CUgraphEdgeData { from_port: 0, to_port: 0, r#type: 0, reserved: [0; 5] };
const EARLY: CUgraphEdgeData = CUgraphEdgeData { from_port: 1, r#type: 1, ..PLAIN };

fn new() -> CUgraph {
    made!(cuGraphCreate(0))
}

fn empty(graph: CUgraph) -> CUgraphNode {
    made!(cuGraphAddEmptyNode(graph, null(), 0))
}

fn to(stream: CUstream, graph: CUgraph, after: &[CUgraphNode]) -> CUresult {
    let (nodes, count) = (after.as_ptr(), after.len());
    newer!(cuStreamBeginCaptureToGraph(stream, graph, nodes, null(), count, RELAXED))
}

fn fill(place: &Place, stream: CUstream) {
    ok!(cuMemsetD8Async(place.memory, 1, 64, stream));
}

/// F561
#[test]
fn a_capture_adds_to_a_graph_of_the_program() {
    has!(cuStreamBeginCaptureToGraph);
    let place = place();
    let (stream, graph, early) = (place.stream, new(), EARLY);
    let [a, b] = [graph; 2].map(empty);
    let foreign = empty(new());
    for (at, of, after) in
        [(stream, null_mut(), &[][..]), (stream, graph, &[foreign]), (stream, graph, &[null_mut()])]
    {
        assert_eq!(to(at, of, after), INVALID_VALUE);
    }
    let begin_with = |nodes, data, count, mode| {
        newer!(cuStreamBeginCaptureToGraph(stream, graph, nodes, data, count, mode))
    };
    assert_eq!(begin_with(null(), null(), 1, RELAXED), INVALID_VALUE);
    assert_eq!(begin_with(null(), null(), 0, CUstreamCaptureMode(3)), INVALID_VALUE);
    assert_eq!(begin_with(&raw const a, &raw const early, 1, RELAXED), INVALID_VALUE);
    assert_eq!(to(LEGACY, graph, &[]), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    assert_eq!(status(stream), NONE);

    // The same node twice is once.
    assert_eq!(to(stream, graph, &[a, a]), SUCCESS);
    assert_eq!(to(stream, new(), &[]), STATE);
    assert_eq!(to(free_stream(), graph, &[]), STATE);
    fill(&place, stream);
    fill(&place, stream);
    let late = empty(graph);
    each_gives!(STATE; {
        cuGraphDestroyNode(late);
        cuGraphDestroy(graph);
    });
    assert_eq!(end(stream), graph);
    assert_eq!(kinds(graph), [EMPTY, EMPTY, FILL, FILL, EMPTY]);
    assert_eq!(edges(graph), [(0, 2), (2, 3)]);
    assert_eq!(to(stream, graph, &[a, b]), SUCCESS);
    fill(&place, stream);
    assert_eq!(end(stream), graph);
    assert_eq!(edges(graph), [(0, 2), (0, 5), (1, 5), (2, 3)]);
    // Nothing captured, and after nothing.
    assert_eq!(to(stream, graph, &[b]), SUCCESS);
    assert_eq!(end(stream), graph);
    assert_eq!(to(stream, graph, &[]), SUCCESS);
    fill(&place, stream);
    assert_eq!(end(stream), graph);
    assert_eq!((nodes(graph).len(), edges(graph).len()), (7, 4));
    replay(instantiate(graph), stream);
    ok!(cuGraphDestroyNode(late));
    ok!(cuGraphDestroy(graph));
    place.destroy();
}

/// F562
#[test]
fn a_capture_that_fails_takes_the_graph_with_it() {
    has!(cuStreamBeginCaptureToGraph);
    fresh!(a_capture_that_fails_takes_the_graph_with_it, {
        let place = place();
        let (stream, joined) = (place.stream, free_stream());
        let invalidated = |_: CUgraph| {
            let code = code!(cuStreamSynchronize(stream));
            assert_eq!(code, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
            assert_eq!(bad_end(stream), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
        };
        let unjoined = |_: CUgraph| {
            ok!(cuEventRecord(place.event, stream));
            ok!(cuStreamWaitEvent(joined, place.event, 0));
            fill(&place, joined);
            assert_eq!(bad_end(stream), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
        };
        let cases: [&dyn Fn(CUgraph); 2] = [&invalidated, &unjoined];
        for fail in cases {
            let graph = new();
            let node = empty(graph);
            assert_eq!(to(stream, graph, &[node]), SUCCESS);
            fill(&place, stream);
            fail(graph);
            let (mut new, mut exec) = (null_mut(), null_mut());
            each_gives!(INVALID_VALUE; {
                cuGraphAddEmptyNode(&raw mut new, graph, null(), 0);
                cuGraphInstantiateWithFlags(&raw mut exec, graph, 0);
                cuGraphDestroy(graph);
            });
        }
    });
}

/// F563
#[test]
fn the_dependencies_of_captured_work_can_be_changed() {
    has!(
        cuStreamBeginCaptureToGraph,
        cuStreamUpdateCaptureDependencies_v2,
        cuStreamGetCaptureInfo_v3
    );
    let place = place();
    let (stream, early) = (place.stream, EARLY);
    let update = |nodes: &[CUgraphNode], flags| {
        let (at, count) = (nodes.as_ptr().cast_mut(), nodes.len());
        newer!(cuStreamUpdateCaptureDependencies_v2(stream, at, null(), count, flags))
    };
    // The nodes that the next one depends on, and whether edges do more than order.
    let next = || {
        let (mut status, mut nodes, mut data, mut count) = (NONE, null(), null(), 0);
        let (id, graph, at) = (null_mut(), null_mut(), &raw mut status);
        let (to, of) = (&raw mut nodes, &raw mut data);
        ok!(newer cuStreamGetCaptureInfo_v3(stream, at, id, graph, to, of, &raw mut count));
        let one = |place: usize| {
            // SAFETY: as many as it tells, which stay until the next call for the stream.
            let node = unsafe { nodes.wrapping_add(place).read() };
            // SAFETY: as above.
            let data: CUgraphEdgeData = unsafe { data.wrapping_add(place).read() };
            (node, data != PLAIN)
        };
        (0..count).map(one).collect::<Vec<(CUgraphNode, bool)>>()
    };
    assert_eq!(update(&[], 0), STATE);
    let graph = new();
    let a = empty(graph);
    assert_eq!(to(stream, graph, &[]), SUCCESS);
    fill(&place, stream);
    let first = nodes(graph)[1];
    for (bad, flags) in [(a, 2), (null_mut(), 0), (empty(new()), 1), (empty(new()), 0)] {
        assert_eq!(update(&[bad], flags), INVALID_VALUE);
    }
    let add = |count| code!(cuStreamUpdateCaptureDependencies(stream, null_mut(), count, 0));
    assert_eq!((add(1), add(0)), (INVALID_VALUE, SUCCESS));
    assert_eq!(next(), [(first, false)]);
    assert_eq!(update(&[a, a, first], 0), SUCCESS);
    assert_eq!(next(), [(first, false), (a, false)]);
    fill(&place, stream);
    assert_eq!(update(&[a], 1), SUCCESS);
    fill(&place, stream);
    // A node that is left behind need not be joined.
    assert_eq!(update(&[], 1), SUCCESS);
    fill(&place, stream);
    assert_eq!(end(stream), graph);
    assert_eq!(edges(graph), [(0, 2), (0, 3), (1, 2)]);

    begin(stream, RELAXED);
    assert_eq!(launch(place.kernel(c"nothing"), stream, &[]), SUCCESS);
    let [(mut kernel, _)] = next()[..] else { panic!("one node") };
    let (at, data) = (&raw mut kernel, &raw const early);
    ok!(newer cuStreamUpdateCaptureDependencies_v2(stream, at, data, 1, 1));
    assert_eq!(next(), [(kernel, true)]);
    assert_eq!(launch(place.kernel(c"nothing"), stream, &[]), SUCCESS);
    assert_eq!(next().len(), 1);
    let _graph = end(stream);

    begin(stream, RELAXED);
    let _refused = code!(cuStreamSynchronize(stream));
    assert_eq!(update(&[], 1), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    let _code = bad_end(stream);
    place.destroy();
}
