//! The calls about captures.
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::calls::graph::edit::is_early;
use crate::entry::{self, Answer};
use crate::model::capture::list::{Edges, discard, with};
use crate::model::capture::{MODE, list};
use crate::model::graph::Graph;
use crate::model::graph::query::{PLAIN, is_plain};
use crate::model::stream::Target;
use crate::model::{graph, stream, usable};
use crate::queue::Kind;
use core::ffi::c_uint;
use cuscope_sys::*;
use std::sync::Arc;

/// The stream that is asked about; 906 for the legacy one if a blocking stream of the context is
/// under capture, which does that no harm (F143).
fn asked(stream: CUstream) -> Answer<Target> {
    let target = stream::look_up(stream)?;
    let implicit = target.queue.kind == Kind::Null
        && !list::none()
        && with(|list| list.any(|one| one.blocks(&target.life)));
    if implicit { Err(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT) } else { Ok(target) }
}

/// Where the parts of the answer go that may be unwanted.
struct Wanted {
    id: *mut cuuint64_t,
    graph: *mut CUgraph,
    dependencies: *mut *const CUgraphNode,
    edges: *mut *const CUgraphEdgeData,
    count: *mut usize,
}

/// State and parts of a capture; only the state of one that is invalid (F147).
fn info(stream: CUstream, status: *mut CUstreamCaptureStatus, wanted: &Wanted) -> Answer {
    entry::wanted(status)?;
    let target = asked(stream)?;
    with(|list| {
        let Some(one) = list.of(&target.queue) else {
            return entry::write(status, CU_STREAM_CAPTURE_STATUS_NONE);
        };
        if !one.valid {
            return entry::write(status, CU_STREAM_CAPTURE_STATUS_INVALIDATED);
        }
        entry::write(status, CU_STREAM_CAPTURE_STATUS_ACTIVE)?;
        entry::write_optional(wanted.id, one.id);
        entry::write_optional(wanted.graph, std::ptr::without_provenance_mut(one.handle));
        let Some(member) = one.member(&target.queue) else { return Ok(()) };
        member.shown.clone_from(&member.after);
        let data = |node: &usize| member.data.get(node).copied().unwrap_or(PLAIN);
        member.edges = member.shown.iter().map(data).collect();
        let (mut nodes, mut edges) = (std::ptr::null(), std::ptr::null());
        if !member.shown.is_empty() {
            // A handle is a number of the size of a pointer.
            nodes = member.shown.as_ptr().cast();
            edges = member.edges.as_ptr();
        }
        entry::write_optional(wanted.dependencies, nodes);
        entry::write_optional(wanted.edges, edges);
        entry::write_optional(wanted.count, member.shown.len());
        Ok(())
    })
}

/// The target of a capture, if the program has the graph: the graph and the nodes that it begins after.
type To = Option<(usize, Arc<Graph>, Edges)>;

/// Begins a capture of a stream.
fn begin(stream: CUstream, mode: CUstreamCaptureMode, to: impl FnOnce() -> Answer<To>) -> Answer {
    let target = usable::target(stream)?;
    if target.queue.kind == Kind::Null {
        return Err(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    }
    if mode.0 > CU_STREAM_CAPTURE_MODE_RELAXED.0 {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    with(|list| {
        if list.of(&target.queue).is_some() {
            return Err(CUDA_ERROR_ILLEGAL_STATE);
        }
        // A call that ends a stream or its context says so before it looks for captures.
        if target.queue.closed() {
            return Err(CUDA_ERROR_CONTEXT_IS_DESTROYED);
        }
        target.life.check()?;
        list.begin(&target, mode, to()?);
        Ok(())
    })
}

/// Nodes of a graph that work is to come after, and the data of the edges; each node once.
fn ends(
    graph: &Graph,
    nodes: *const CUgraphNode,
    data: *const CUgraphEdgeData,
    count: usize,
) -> Answer<Edges> {
    let mut ends = Edges::new();
    for i in 0..count {
        let one = entry::element(nodes, i)?.addr();
        let edge = if data.is_null() { PLAIN } else { entry::element(data, i)? };
        let good = is_plain(edge) || is_early(edge) && graph.is_kernel(one);
        if !good || !graph.has(one) {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        if ends.iter().all(|&(end, _)| end != one) {
            ends.push((one, edge));
        }
    }
    Ok(ends)
}

/// Changes what the next node of a stream under capture depends on.
fn update(
    stream: CUstream,
    nodes: *mut CUgraphNode,
    data: *const CUgraphEdgeData,
    count: usize,
    flags: c_uint,
) -> Answer {
    let target = usable::target(stream)?;
    with(|list| {
        let one = list.of(&target.queue).ok_or(CUDA_ERROR_ILLEGAL_STATE)?;
        if !one.valid {
            return Err(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
        }
        if flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES.0 {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let after = ends(&one.graph, nodes.cast_const(), data, count)?;
        let nodes: Vec<_> = after.iter().map(|&(node, _)| node).collect();
        if flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES.0
            && let Some(member) = one.member(&target.queue)
        {
            member.after.clear();
        }
        one.join(&target, &nodes);
        if let Some(member) = one.member(&target.queue) {
            member.set_data(after);
        }
        Ok(())
    })
}

driver! {
    /// Swaps the calling thread's capture mode; the driver takes any value.
    fn cuThreadExchangeStreamCaptureMode(mode: *mut CUstreamCaptureMode) [host_fn, after_fault] {
        let new = entry::read(mode)?;
        entry::write(mode, MODE.replace(new))
    }
    /// Begins a capture; not of the legacy stream, nor of one that is under capture.
    fn cuStreamBeginCapture_v2(hStream: CUstream, mode: CUstreamCaptureMode) [
        host_fn,
        zero_is_current(0),
    ] {
        begin(hStream, mode, || Ok(None))
    }
    /// The same to a graph of the program, after some of its nodes (F561).
    fn cuStreamBeginCaptureToGraph(
        hStream: CUstream,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        dependencyData: *const CUgraphEdgeData,
        numDependencies: usize,
        mode: CUstreamCaptureMode,
    ) [host_fn] {
        begin(hStream, mode, || {
            let graph = graph::find(hGraph)?;
            let after = ends(&graph, dependencies, dependencyData, numDependencies)?;
            graph.capture()?;
            Ok(Some((hGraph.addr(), graph, after)))
        })
    }
    /// Changes what the next node of a stream under capture depends on.
    fn cuStreamUpdateCaptureDependencies(
        hStream: CUstream,
        dependencies: *mut CUgraphNode,
        numDependencies: usize,
        flags: c_uint,
    ) [host_fn] {
        update(hStream, dependencies, std::ptr::null(), numDependencies, flags)
    }
    /// The same; edges do nothing but order here.
    fn cuStreamUpdateCaptureDependencies_v2(
        hStream: CUstream,
        dependencies: *mut CUgraphNode,
        dependencyData: *const CUgraphEdgeData,
        numDependencies: usize,
        flags: c_uint,
    ) [host_fn] {
        update(hStream, dependencies, dependencyData, numDependencies, flags)
    }
    /// Ends a capture and gives its graph, if it is wanted; null where there is none (F145).
    fn cuStreamEndCapture(hStream: CUstream, phGraph: *mut CUgraph) [host_fn, zero_is_current(0)] {
        entry::write_optional(phGraph, std::ptr::null_mut());
        let target = usable::target(hStream)?;
        let ended = with(|list| {
            let one = list.of(&target.queue).ok_or(CUDA_ERROR_ILLEGAL_STATE)?;
            if !one.began_on(&target.queue) {
                one.valid = false;
                return Err(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
            }
            let id = one.id;
            list.take(|one| one.id == id).pop().ok_or(CUDA_ERROR_ILLEGAL_STATE)
        })?;
        let relaxed = ended.mode == CU_STREAM_CAPTURE_MODE_RELAXED;
        let fault = if !ended.valid {
            Some(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED)
        } else if !relaxed && ended.thread != std::thread::current().id() {
            Some(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD)
        } else if !ended.joined() {
            Some(CUDA_ERROR_STREAM_CAPTURE_UNJOINED)
        } else {
            None
        };
        if fault.is_some() || phGraph.is_null() {
            discard(&ended);
            return fault.map_or(Ok(()), Err);
        }
        ended.graph.release();
        entry::write(phGraph, std::ptr::without_provenance_mut(ended.handle))
    }
    /// Whether a stream is under capture.
    fn cuStreamIsCapturing(hStream: CUstream, captureStatus: *mut CUstreamCaptureStatus) [
        null(1) = CUDA_ERROR_INVALID_VALUE,
        host_fn,
        zero_is_current(0),
    ] {
        let (id, graph) = (std::ptr::null_mut(), std::ptr::null_mut());
        let (dependencies, edges) = (std::ptr::null_mut(), std::ptr::null_mut());
        let count = std::ptr::null_mut();
        info(hStream, captureStatus, &Wanted { id, graph, dependencies, edges, count })
    }
    /// State, id, graph and ends of a capture.
    fn cuStreamGetCaptureInfo_v2(
        hStream: CUstream,
        captureStatus_out: *mut CUstreamCaptureStatus,
        id_out: *mut cuuint64_t,
        graph_out: *mut CUgraph,
        dependencies_out: *mut *const CUgraphNode,
        numDependencies_out: *mut usize,
    ) [null(1) = CUDA_ERROR_INVALID_VALUE, host_fn, zero_is_current(0)] {
        info(hStream, captureStatus_out, &Wanted {
            id: id_out,
            graph: graph_out,
            dependencies: dependencies_out,
            edges: std::ptr::null_mut(),
            count: numDependencies_out,
        })
    }
    /// The same, with the data of the edges.
    fn cuStreamGetCaptureInfo_v3(
        hStream: CUstream,
        captureStatus_out: *mut CUstreamCaptureStatus,
        id_out: *mut cuuint64_t,
        graph_out: *mut CUgraph,
        dependencies_out: *mut *const CUgraphNode,
        edgeData_out: *mut *const CUgraphEdgeData,
        numDependencies_out: *mut usize,
    ) [null(1) = CUDA_ERROR_INVALID_VALUE, zero_is_current(0)] {
        info(hStream, captureStatus_out, &Wanted {
            id: id_out,
            graph: graph_out,
            dependencies: dependencies_out,
            edges: edgeData_out,
            count: numDependencies_out,
        })
    }
}
