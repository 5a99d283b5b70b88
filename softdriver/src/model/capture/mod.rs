//! Captures: what is enqueued in a stream becomes a graph, and what would wait is refused.
//!
//! A capture goes from its begin on a stream to the end on it. A stream that waits for an event of
//! the capture joins it (F106). What it forbids *invalidates* it: the end gives 901.

pub(crate) mod event;
pub(crate) mod list;

pub(crate) use event::{captured_event, check_event, record_in};
pub(crate) use list::{forget, forget_all_of, none};

use crate::entry::Answer;
use crate::model::capture::list::with;
use crate::model::graph::node::{Node, Work};
use crate::model::life::Life;
use crate::model::stream::Target;
use cuscope_sys::*;
use std::cell::Cell;
use std::thread;

/// The edge from a kernel to one that may start when that one's blocks have triggered it.
const EARLY: CUgraphEdgeData =
    CUgraphEdgeData { from_port: 1, to_port: 0, r#type: 1, reserved: [0; 5] };

thread_local! {
    /// The capture mode of the thread.
    pub(crate) static MODE: Cell<CUstreamCaptureMode> = const { Cell::new(CU_STREAM_CAPTURE_MODE_GLOBAL) };
}

/// The capture mode of the calling thread.
pub(crate) fn mode() -> CUstreamCaptureMode {
    MODE.get()
}

/// Refuses a call that no capture of this thread may see: 900, and each of them is invalidated (F140).
pub(crate) fn check_unsafe() -> Answer {
    if list::none() {
        return Ok(());
    }
    let me = thread::current().id();
    let forbids = |mode: CUstreamCaptureMode, own: bool| match MODE.get() {
        CU_STREAM_CAPTURE_MODE_RELAXED => false,
        CU_STREAM_CAPTURE_MODE_GLOBAL if !own => mode == CU_STREAM_CAPTURE_MODE_GLOBAL,
        // An unknown mode is as THREAD_LOCAL.
        _ => own && mode != CU_STREAM_CAPTURE_MODE_RELAXED,
    };
    let hit = with(|list| list.invalidate(|one| forbids(one.mode, one.thread == me)));
    if hit { Err(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED) } else { Ok(()) }
}

/// Any use of the legacy stream of a context that has a blocking stream under capture (F143).
pub(crate) fn refuse_legacy(life: &Life) -> Answer {
    let hit = !list::none() && with(|list| list.invalidate(|one| one.blocks(life)));
    if hit { Err(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT) } else { Ok(()) }
}

/// Invalidates the capture that a stream is in, if any.
pub(crate) fn spoil(target: &Target) {
    let _hit = invalidate(target);
}

/// The same; whether there is one.
pub(crate) fn invalidate(target: &Target) -> bool {
    !list::none() && with(|list| list.invalidate(|one| one.has(&target.queue)))
}

/// Whether a stream is under capture; 901 if that was invalidated.
pub(crate) fn takes(target: &Target) -> Answer<bool> {
    if list::none() {
        return Ok(false);
    }
    match with(|list| list.of(&target.queue).map(|one| one.valid)) {
        None => Ok(false),
        Some(true) => Ok(true),
        Some(false) => Err(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED),
    }
}

/// Whether the graph that captures a stream frees the memory that is at the address.
pub(crate) fn frees(target: &Target, address: u64) -> bool {
    with(|list| list.of(&target.queue).is_some_and(|one| one.graph.frees(address)))
}

/// Adds a node for work that a stream under capture takes.
pub(crate) fn add(target: &Target, work: Work) -> Answer {
    let left = add_unless(target, work)?;
    // Another thread has ended the capture meanwhile.
    left.map_or(Ok(()), |_| Err(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED))
}

/// Adds a node for work if its stream is under capture; else gives the work back.
fn add_unless(target: &Target, work: Work) -> Answer<Option<Work>> {
    if list::none() {
        return Ok(Some(work));
    }
    with(|list| {
        let Some(one) = list.of(&target.queue) else { return Ok(Some(work)) };
        if !one.valid {
            return Err(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
        }
        let graph = one.graph.clone();
        let Some(member) = one.member(&target.queue) else { return Ok(Some(work)) };
        let mut node = Node::new(member.after.clone(), Some(target.life.clone()), work);
        let data = std::mem::take(&mut member.data);
        if node.is_kernel() {
            node.data = data;
        }
        if node.starts_early() {
            let kernels = member.after.iter().filter(|&&before| graph.is_kernel(before));
            node.data.extend(kernels.map(|&before| (before, EARLY)));
        }
        member.after = vec![graph.add(node)];
        Ok(None)
    })
}

/// Enqueues work in a stream, or in the graph that captures it.
pub(crate) fn enqueue(target: &Target, work: Work) -> Answer {
    match add_unless(target, work)? {
        Some(work) => target.submit_as(work.label(), move || work.run()).map(drop),
        None => Ok(()),
    }
}
