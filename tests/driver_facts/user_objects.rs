//! Objects of the program that graphs keep alive: F557 to F560.

use crate::common::until;
use crate::fresh;
use crate::raw::captures::*;
use crate::raw::*;
use cuscope::ffi::*;
use std::ffi::c_void;
use std::ptr::{null, null_mut, without_provenance_mut};
use std::sync::Mutex;
use std::thread::{self, ThreadId};

/// The objects that were destroyed, and on which threads.
static GONE: Mutex<Vec<(usize, ThreadId)>> = Mutex::new(Vec::new());

unsafe extern "C" fn destroy(object: *mut c_void) {
    GONE.lock().unwrap().push((object.addr(), thread::current().id()));
}

/// The numbers of what was destroyed since the last time.
fn gone() -> Vec<usize> {
    GONE.lock().unwrap().drain(..).map(|(number, _)| number).collect()
}

/// The same once there are so many, which may take a moment, in ascending order.
fn all_gone(count: usize) -> Vec<usize> {
    let mut all = Vec::new();
    until("the end of the objects", || {
        all.extend(gone());
        all.len() >= count
    });
    all.sort_unstable();
    all
}

fn object(number: usize, count: u32) -> CUuserObject {
    made!(cuUserObjectCreate(without_provenance_mut(number), Some(destroy), count, 1))
}

/// A graph that keeps an object.
fn keeping(number: usize) -> CUgraph {
    let graph = made!(cuGraphCreate(0));
    let _node: CUgraphNode = made!(cuGraphAddEmptyNode(graph, null(), 0));
    ok!(cuGraphRetainUserObject(graph, object(number, 1), 1, 1));
    graph
}

/// F557
#[test]
fn an_object_goes_with_its_last_reference() {
    fresh!(an_object_goes_with_its_last_reference, {
        // Needs no `cuInit`, and no context.
        let first = object(1, 1);
        each_gives!(INVALID_VALUE; {
            cuUserObjectRetain(null_mut(), 1);
            cuUserObjectRelease(null_mut(), 1);
            cuGraphRetainUserObject(null_mut(), null_mut(), 1, 0);
            cuGraphReleaseUserObject(null_mut(), null_mut(), 1);
        });
        ok!(cuInit(0));
        ok!(cuUserObjectRetain(first, 2));
        ok!(cuUserObjectRelease(first, 2));
        assert_eq!(gone(), []);
        ok!(cuUserObjectRelease(first, 1));
        let here = GONE.lock().unwrap().drain(..).collect::<Vec<_>>();
        assert_eq!(here, [(1, thread::current().id())]);
        let (mut out, what, destructor) = (null_mut(), null_mut(), Some(destroy as _));
        each_gives!(INVALID_VALUE; {
            cuUserObjectCreate(null_mut(), what, destructor, 1, 1);
            cuUserObjectCreate(&raw mut out, what, None, 1, 1);
            cuUserObjectCreate(&raw mut out, what, destructor, 0, 1);
            cuUserObjectCreate(&raw mut out, what, destructor, 1, 0);
            cuUserObjectCreate(&raw mut out, what, destructor, 1, 2);
            cuUserObjectCreate(&raw mut out, what, destructor, 1, 3);
        });
        let many = object(2, u32::MAX);
        each_gives!(INVALID_VALUE; {
            cuUserObjectRetain(many, 0);
            cuUserObjectRetain(many, 1 << 31);
            cuUserObjectRelease(many, 0);
        });
        // More references than there are: it never goes.
        ok!(cuUserObjectRelease(object(3, 1), 2));
        assert_eq!(gone(), []);
    });
}

/// F558
#[test]
fn graphs_keep_objects() {
    fresh!(graphs_keep_objects, {
        let place = place();
        let graph: CUgraph = made!(cuGraphCreate(0));
        let one = object(1, 1);
        each_gives!(INVALID_VALUE; {
            cuGraphRetainUserObject(null_mut(), one, 1, 0);
            cuGraphRetainUserObject(graph, null_mut(), 1, 0);
            cuGraphRetainUserObject(graph, one, 0, 0);
            cuGraphRetainUserObject(graph, one, 1, 2);
            cuGraphReleaseUserObject(null_mut(), one, 1);
            cuGraphReleaseUserObject(graph, null_mut(), 1);
            cuGraphReleaseUserObject(graph, one, 0);
        });
        ok!(cuGraphRetainUserObject(graph, one, 1, 0));
        ok!(cuUserObjectRelease(one, 1));
        assert_eq!(gone(), []);
        ok!(cuGraphReleaseUserObject(graph, one, 1));
        assert_eq!(gone(), [1]);
        // References that a graph does not hold are the caller's. This graph gets no more: an H200 never gave the next one back.
        let other: CUgraph = made!(cuGraphCreate(0));
        ok!(cuGraphReleaseUserObject(other, object(2, 1), 1));
        assert_eq!(gone(), [2]);
        for number in [3, 4, 5] {
            ok!(cuGraphRetainUserObject(graph, object(number, 1), 1, 1));
        }
        ok!(cuGraphDestroy(graph));
        assert_eq!(all_gone(3), [3, 4, 5]);

        let graph = keeping(6);
        let copy: CUgraph = made!(cuGraphClone(graph));
        let parent: CUgraph = made!(cuGraphCreate(0));
        let _child: CUgraphNode = made!(cuGraphAddChildGraphNode(parent, null(), 0, graph));
        for last in [graph, copy] {
            ok!(cuGraphDestroy(last));
            assert_eq!(gone(), []);
        }
        ok!(cuGraphDestroy(parent));
        assert_eq!(gone(), [6]);

        // The graph of a capture keeps them too, until an end without a graph.
        for spoiled in [false, true] {
            begin(place.stream, RELAXED);
            let (mut status, mut graph) = (NONE, null_mut());
            let (id, nodes, count) = (null_mut(), null_mut(), null_mut());
            let of = &raw mut graph;
            ok!(cuStreamGetCaptureInfo_v2(place.stream, &raw mut status, id, of, nodes, count));
            ok!(cuGraphRetainUserObject(graph, object(7, 1), 1, 1));
            if spoiled {
                let _refused = code!(cuStreamSynchronize(place.stream));
                assert_eq!(gone(), []);
                let _code = bad_end(place.stream);
            } else {
                assert_eq!(end(place.stream), graph);
                assert_eq!(gone(), []);
                ok!(cuGraphDestroy(graph));
            }
            assert_eq!(gone(), [7]);
        }
    });
}

/// F559
#[test]
fn a_graph_that_can_run_keeps_objects_until_it_has_run() {
    fresh!(a_graph_that_can_run_keeps_objects_until_it_has_run, {
        let place = place();
        let graph = keeping(1);
        let exec = instantiate(graph);
        ok!(cuGraphRetainUserObject(graph, object(2, 1), 1, 1));
        ok!(cuGraphDestroy(graph));
        // It was instantiated before.
        assert_eq!(gone(), [2]);
        ok!(cuGraphExecDestroy(exec));
        assert_eq!(gone(), [1]);

        let (graph, other) = (keeping(3), keeping(4));
        let exec = instantiate(graph);
        let mut info: CUgraphExecUpdateResultInfo = all_zeros();
        ok!(cuGraphExecUpdate_v2(exec, other, &raw mut info));
        ok!(cuGraphDestroy(graph));
        ok!(cuGraphDestroy(other));
        assert_eq!(gone(), [3]);

        let (gate, word) = Gate::closed();
        begin(place.stream, RELAXED);
        assert_eq!(launch(place.kernel(c"hold"), place.stream, &[word]), SUCCESS);
        let spins = end(place.stream);
        ok!(cuGraphRetainUserObject(spins, object(5, 1), 1, 1));
        let running = instantiate(spins);
        ok!(cuGraphLaunch(running, place.stream));
        ok!(cuGraphDestroy(spins));
        ok!(cuGraphExecDestroy(running));
        assert_eq!((code!(cuStreamQuery(place.stream)), gone()), (NOT_READY, vec![]));
        gate.open();
        ok!(cuStreamSynchronize(place.stream));
        until("the end of the object", || !GONE.lock().unwrap().is_empty());
        let [(5, there)] = GONE.lock().unwrap()[..] else { panic!("it is not gone") };
        assert_ne!(there, thread::current().id());
        ok!(cuGraphExecDestroy(exec));
        assert_eq!(gone(), [5, 4]);
    });
}

static ANSWERS: Mutex<Vec<CUresult>> = Mutex::new(Vec::new());

unsafe extern "C" fn ask(_: *mut c_void) {
    let (mut current, mut memory, mut stream) = (null_mut(), 0, null_mut());
    *ANSWERS.lock().unwrap() = vec![
        code!(cuCtxGetCurrent(&raw mut current)),
        code!(cuMemAlloc_v2(&raw mut memory, 4)),
        code!(cuStreamCreate(&raw mut stream, 1)),
        {
            let mut object = null_mut();
            code!(cuUserObjectCreate(&raw mut object, null_mut(), Some(destroy), 1, 1))
        },
    ];
}

struct Asked {
    graph: CUgraph,
    object: CUuserObject,
    answers: [CUresult; 4],
}

unsafe extern "C" fn ask_in_a_host_function(to: *mut c_void) {
    // SAFETY: an `Asked`, which the test leaves alone meanwhile.
    let asked = unsafe { &mut *to.cast::<Asked>() };
    let Asked { graph, object, .. } = *asked;
    asked.answers = [
        code!(cuUserObjectRetain(object, 1)),
        code!(cuUserObjectRelease(object, 1)),
        code!(cuGraphRetainUserObject(graph, object, 1, 1)),
        code!(cuGraphReleaseUserObject(graph, object, 1)),
    ];
}

/// F560
#[test]
fn a_destructor_calls_nothing_and_host_functions_may_release() {
    fresh!(a_destructor_calls_nothing_and_host_functions_may_release, {
        let place = place();
        let object: CUuserObject = made!(cuUserObjectCreate(null_mut(), Some(ask), 1, 1));
        ok!(cuUserObjectRelease(object, 1));
        let [a, b, c, created] = ANSWERS.lock().unwrap()[..] else { panic!("it is not gone") };
        assert_eq!(([a, b, c], created), ([NOT_PERMITTED; 3], SUCCESS));
        // The thread may call again.
        let memory = made!(cuMemAlloc_v2(4));
        ok!(cuMemFree_v2(memory));
        let (graph, object) = (made!(cuGraphCreate(0)), self::object(1, 3));
        let mut asked = Asked { graph, object, answers: [NOT_PERMITTED; 4] };
        let to = (&raw mut asked).cast();
        ok!(cuLaunchHostFunc(place.stream, Some(ask_in_a_host_function), to));
        ok!(cuStreamSynchronize(place.stream));
        assert_eq!(asked.answers, [SUCCESS; 4]);
    });
}
