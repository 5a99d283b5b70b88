//! Events that graphs record and wait for.
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::calls::graph::params::{set, set_in_exec};
use crate::entry::{self, Answer};
use crate::model::event::EVENTS;
use crate::model::event::Event;
use crate::model::graph::add::add;
use crate::model::graph::node::{Node, Work};
use crate::model::graph::query::node;
use crate::model::life::Life;
use cuscope_sys::*;
use std::sync::Arc;

/// The event of a handle; INVALID_VALUE for what is none, as nodes have it. One of several processes is not modelled.
fn find(handle: CUevent) -> Answer<Arc<Event>> {
    let event = EVENTS.get(handle.addr()).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    event.refuse_shared()?;
    Ok(event)
}

/// A record of an event.
pub(super) fn record(handle: CUevent) -> Answer<(Option<Arc<Life>>, Work)> {
    let event = find(handle)?;
    Ok((Some(event.life.clone()), Work::Record(event, handle.addr())))
}

/// A wait for an event.
pub(super) fn wait(handle: CUevent) -> Answer<(Option<Arc<Life>>, Work)> {
    let event = find(handle)?;
    Ok((Some(event.life.clone()), Work::Wait(event, handle.addr())))
}

fn records(node: &Node) -> bool {
    matches!(*node.work, Work::Record(..))
}

fn waits(node: &Node) -> bool {
    matches!(*node.work, Work::Wait(..))
}

/// The handle of the event that a node has.
fn event_of(handle: CUgraphNode, is: fn(&Node) -> bool, to: *mut CUevent) -> Answer {
    let node = node(handle)?;
    match &*node.work {
        Work::Record(_, event) | Work::Wait(_, event) if is(&node) => {
            entry::write(to, std::ptr::without_provenance_mut(*event))
        }
        _ => Err(CUDA_ERROR_INVALID_VALUE),
    }
}

/// Changes what a node records.
pub(super) fn set_record(hNode: CUgraphNode, event: CUevent) -> Answer {
    set(hNode, records, || record(event))
}

/// Changes what a node waits for.
pub(super) fn set_wait(hNode: CUgraphNode, event: CUevent) -> Answer {
    set(hNode, waits, || wait(event))
}

/// Changes what a node of an instantiated graph records.
pub(super) fn set_record_in_exec(
    hGraphExec: CUgraphExec,
    hNode: CUgraphNode,
    event: CUevent,
) -> Answer {
    set_in_exec(hGraphExec, hNode, records, |old| {
        let new = find(event)?;
        match &*old.work {
            Work::Record(old, _) if old.life.is(&new.life) => record(event),
            _ => Err(CUDA_ERROR_INVALID_VALUE),
        }
    })
}

/// Changes what a node of an instantiated graph waits for.
pub(super) fn set_wait_in_exec(
    hGraphExec: CUgraphExec,
    hNode: CUgraphNode,
    event: CUevent,
) -> Answer {
    set_in_exec(hGraphExec, hNode, waits, |_| wait(event))
}

driver! {
    /// Adds a record of an event.
    fn cuGraphAddEventRecordNode(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        event: CUevent,
    ) [null(0) = CUDA_ERROR_INVALID_VALUE] {
        add(phGraphNode, hGraph, dependencies, numDependencies, |_| record(event))
    }
    /// Adds a wait for an event.
    fn cuGraphAddEventWaitNode(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        event: CUevent,
    ) {
        add(phGraphNode, hGraph, dependencies, numDependencies, |_| wait(event))
    }
    /// The event that a node records.
    fn cuGraphEventRecordNodeGetEvent(hNode: CUgraphNode, event_out: *mut CUevent) {
        event_of(hNode, records, event_out)
    }
    /// The event that a node waits for.
    fn cuGraphEventWaitNodeGetEvent(hNode: CUgraphNode, event_out: *mut CUevent) {
        event_of(hNode, waits, event_out)
    }
    /// Changes the event that a node records.
    fn cuGraphEventRecordNodeSetEvent(hNode: CUgraphNode, event: CUevent) {
        set_record(hNode, event)
    }
    /// Changes the event that a node waits for.
    fn cuGraphEventWaitNodeSetEvent(hNode: CUgraphNode, event: CUevent) {
        set_wait(hNode, event)
    }
    /// The same in an instantiated graph; the event is of the context of the one before (F214).
    fn cuGraphExecEventRecordNodeSetEvent(
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        event: CUevent,
    ) {
        set_record_in_exec(hGraphExec, hNode, event)
    }
    /// The same for a wait.
    fn cuGraphExecEventWaitNodeSetEvent(
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        event: CUevent,
    ) {
        set_wait_in_exec(hGraphExec, hNode, event)
    }
}
