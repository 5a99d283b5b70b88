//! Graphs that can run.
#![allow(unsafe_code, reason = "exported functions")]

use super::child::flat;
use super::memory::Memory;
use super::{Node, Work as NodeWork};
use crate::driver::driver as state;
use crate::entry::{self, Answer, driver};
use crate::queue::{Ticket, Work};
use crate::schedule::{self, Label};
use crate::{capture, stack, stream, sync};
use core::ffi::c_ulonglong;
use cuscope_sys::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

/// The flags of an instantiation: freed memory at a launch, launches by the device, priorities. To
/// upload it at once (2) is for the function that is given a stream.
const INSTANTIATE_FLAGS: c_ulonglong = 1 | 4 | 8;

/// How many nodes run side by side.
const WIDTH: usize = 16;

/// A graph that can run.
pub(crate) struct Exec {
    levels: Mutex<Arc<[Level]>>,
    /// Its last run: the next one waits for it, in whichever stream (F149).
    last: Mutex<Option<Arc<Ticket>>>,
    /// Whether a launch frees what the one before left.
    frees: bool,
    /// Of a graph that allocates: that there is this one of it.
    of: Option<Arc<AtomicBool>>,
}

impl Drop for Exec {
    fn drop(&mut self) {
        self.of.iter().for_each(|of| of.store(false, Ordering::Release));
    }
}

/// Nodes of which none depends on another, while each depends on one of the level before.
type Level = Vec<Node>;

/// Sorts nodes; a node of a cycle if there is one.
fn levels(mut nodes: Vec<Node>) -> Result<Vec<Level>, usize> {
    let mut levels: Vec<Level> = Vec::new();
    while let Some(first) = nodes.first().map(|node| node.handle) {
        let left: Vec<_> = nodes.iter().map(|node| node.handle).collect();
        let waits = |node: &Node| node.before.iter().any(|one| left.contains(one));
        let (rest, level): (Vec<_>, Vec<_>) = nodes.into_iter().partition(waits);
        if level.is_empty() {
            return Err(first);
        }
        levels.push(level);
        nodes = rest;
    }
    Ok(levels)
}

/// The instantiated graph of a handle; INVALID_VALUE for what is none.
pub(super) fn find(handle: CUgraphExec) -> Answer<Arc<Exec>> {
    state().execs.get(handle.addr()).ok_or(CUDA_ERROR_INVALID_VALUE)
}

impl Exec {
    /// Changes nodes from the next launch on; INVALID_VALUE if `change` changes none.
    pub(super) fn change(&self, mut change: impl FnMut(&mut Node) -> bool) -> Answer {
        let mut levels = sync::lock(&self.levels);
        let mut changed = levels.to_vec();
        let any =
            changed.iter_mut().flatten().filter_map(|node| change(node).then_some(())).count();
        *levels = changed.into();
        if any > 0 { Ok(()) } else { Err(CUDA_ERROR_INVALID_VALUE) }
    }
}

impl Exec {
    /// What it runs from now on; runs that were enqueued do what they did.
    pub(super) fn update(&self, nodes: Vec<Node>) -> CUgraphExecUpdateResult {
        let Ok(new) = levels(nodes) else { return CU_GRAPH_EXEC_UPDATE_ERROR };
        let mut now = sync::lock(&self.levels);
        let change = difference(&now, &new);
        if change == CU_GRAPH_EXEC_UPDATE_SUCCESS {
            // It goes by the nodes of the first graph, and what is off stays off (F218).
            let mut works = new.iter().flatten();
            let level = |level: &Level| {
                level.iter().zip(works.by_ref()).map(|(old, new)| old.with_work_of(new)).collect()
            };
            let updated: Vec<Level> = now.iter().map(level).collect();
            *now = updated.into();
        }
        change
    }

    /// The node with a handle.
    pub(super) fn node(&self, handle: usize) -> Option<Node> {
        let levels = sync::lock(&self.levels);
        levels.iter().flatten().find(|node| node.handle == handle).cloned()
    }

    /// What `see` gives for the first node of which it gives something.
    pub(super) fn find_work<R>(&self, see: impl Fn(&NodeWork) -> Option<R>) -> Option<R> {
        sync::lock(&self.levels).iter().flatten().find_map(|node| see(&node.work))
    }

    /// Has some of its nodes do what others do, which are of the same kinds in the same order.
    pub(super) fn replace(&self, old: &[Node], new: &[Node]) -> Answer {
        let kinds = |nodes: &[Node]| nodes.iter().map(Node::kind).collect::<Vec<_>>();
        if kinds(old) != kinds(new) {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        self.change(|node| {
            let index = old.iter().position(|one| one.handle == node.handle);
            let other = index.and_then(|index| new.get(index));
            other.into_iter().for_each(|other| *node = node.with_work_of(other));
            other.is_some()
        })
    }
}

/// What a launch allocates and frees; INVALID_VALUE if what it allocates is there, or what it frees is not
/// (F213).
fn account(levels: &[Level], frees: bool) -> Answer {
    let works = || levels.iter().flatten().map(|node| &*node.work);
    let freed = |memory: &Arc<Memory>| {
        works().any(|work| matches!(work, NodeWork::Free(one) if Arc::ptr_eq(one, memory)))
    };
    let allocated = |memory: &Arc<Memory>| {
        works().any(|work| matches!(work, NodeWork::Alloc(one) if Arc::ptr_eq(one, memory)))
    };
    for work in works() {
        let bad = match work {
            NodeWork::Alloc(memory) => !frees && memory.left.load(Ordering::Acquire),
            NodeWork::Free(memory) => !allocated(memory) && !memory.left.load(Ordering::Acquire),
            _ => false,
        };
        if bad {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
    }
    for work in works() {
        match work {
            NodeWork::Alloc(memory) => memory.left.store(!freed(memory), Ordering::Release),
            NodeWork::Free(memory) => memory.left.store(false, Ordering::Release),
            _ => {}
        }
    }
    Ok(())
}

/// The nodes as a launch runs them: waits are for what events have recorded by now.
fn launched(levels: &[Level]) -> Arc<[Level]> {
    let node = |node: &Node| match &*node.work {
        NodeWork::Wait(event, _) => {
            let work = NodeWork::WaitFor(event.recorded());
            node.with_work_of(&Node::new(Vec::new(), None, work))
        }
        _ => node.clone(),
    };
    levels.iter().map(|level| level.iter().map(node).collect()).collect()
}

/// Whether one graph can become the other: node by node, in order.
fn difference(now: &[Level], new: &[Level]) -> CUgraphExecUpdateResult {
    let places = |levels: &[Level]| -> Vec<Vec<usize>> {
        let handles: Vec<usize> = levels.iter().flatten().map(|node| node.handle).collect();
        let place = |handle: &usize| handles.iter().position(|one| one == handle);
        let before = |node: &Node| node.before.iter().filter_map(place).collect();
        levels.iter().flatten().map(before).collect()
    };
    if places(now) != places(new) {
        return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    }
    let mut pairs = now.iter().flatten().zip(new.iter().flatten());
    if !pairs.clone().all(|(a, b)| a.kind() == b.kind()) {
        return CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
    }
    // Other addresses (F213).
    let moved = |(a, b): (&Node, &Node)| match (&*a.work, &*b.work) {
        (NodeWork::Alloc(a), NodeWork::Alloc(b)) => !Arc::ptr_eq(a, b),
        _ => false,
    };
    if pairs.any(moved) { CU_GRAPH_EXEC_UPDATE_ERROR } else { CU_GRAPH_EXEC_UPDATE_SUCCESS }
}

/// What keeps a graph from being instantiated: the code, what it is called, and the node.
type Refusal = (CUresult, CUgraphInstantiateResult, usize);

/// Makes a graph ready to run, as it is now; its handle.
fn instantiate(graph: CUgraph, flags: c_ulonglong) -> Result<usize, Refusal> {
    let failed = |code| (code, CUDA_GRAPH_INSTANTIATE_ERROR, 0);
    let _current = stack::current().map_err(failed)?;
    let graph = super::find(graph).map_err(failed)?;
    if graph.child {
        return Err(failed(CUDA_ERROR_NOT_SUPPORTED)); // F212
    }
    let nodes = flat(graph.nodes());
    nodes.iter().try_for_each(Node::check_now).map_err(failed)?;
    let invalid = CUDA_ERROR_INVALID_VALUE;
    let cycle = |node| (invalid, CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE, node);
    let levels = Mutex::new(levels(nodes).map_err(cycle)?.into());
    let of = graph.allocates().then(|| graph.instantiated.clone());
    if of.as_ref().is_some_and(|of| of.swap(true, Ordering::AcqRel)) {
        return Err(failed(CUDA_ERROR_NOT_SUPPORTED)); // F213
    }
    let frees = flags & 1 != 0;
    Ok(state().execs.insert(|_| Exec { levels, last: Mutex::default(), frees, of }).0)
}

/// Runs a level, side by side (F149).
fn run(level: &[Node]) -> Answer {
    if let [one] = level {
        return one.run();
    }
    level.chunks(WIDTH).try_for_each(|nodes| {
        thread::scope(|scope| {
            let threads: Vec<_> = nodes.iter().map(|one| scope.spawn(|| one.run())).collect();
            let ends = threads.into_iter().map(|thread| thread.join());
            // All are joined before the first error counts.
            let ends: Vec<_> =
                ends.map(|end| end.unwrap_or(Err(CUDA_ERROR_LAUNCH_FAILED))).collect();
            ends.into_iter().collect()
        })
    })
}

/// The nodes as pieces of work of their own, with the indices of those that each is behind.
fn branches(levels: &[Level]) -> Vec<(Vec<usize>, Label, Work)> {
    let nodes: Vec<_> = levels.iter().flatten().cloned().collect();
    let index = |handle: &usize| nodes.iter().position(|node| node.handle == *handle);
    let branch = |node: &Node| {
        let before = node.before.iter().filter_map(index).collect();
        let work = node.clone();
        (before, node.label(), Box::new(move || work.run()) as Work)
    };
    nodes.iter().map(branch).collect()
}

driver! {
    /// Makes a graph ready to run, as it is now; needs a current context.
    fn cuGraphInstantiateWithFlags(
        phGraphExec: *mut CUgraphExec,
        hGraph: CUgraph,
        flags: c_ulonglong,
    ) {
        entry::wanted(phGraphExec)?;
        let _current = stack::current()?;
        let _graph = super::find(hGraph)?;
        if flags & !INSTANTIATE_FLAGS != 0 {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let handle = instantiate(hGraph, flags).map_err(|(code, ..)| code)?;
        entry::write(phGraphExec, std::ptr::without_provenance_mut(handle))
    }
    /// The same, and tells what kept it; launches by the device are not supported (F195).
    fn cuGraphInstantiateWithParams(
        phGraphExec: *mut CUgraphExec,
        hGraph: CUgraph,
        instantiateParams: *mut CUDA_GRAPH_INSTANTIATE_PARAMS,
    ) {
        let mut params = entry::read(instantiateParams)?;
        entry::refuse_in_host_function()?;
        let failed = |code| (code, CUDA_GRAPH_INSTANTIATE_ERROR, 0);
        let made = entry::wanted(phGraphExec).map_err(failed).and_then(|()| match params.flags {
            0..4 | 8..12 => instantiate(hGraph, params.flags),
            4 | 6 | 12 | 14 => {
                let first = super::find(hGraph).map_err(failed)?.nodes().first().map(|one| one.handle);
                let what = CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED;
                Err((CUDA_ERROR_INVALID_VALUE, what, first.unwrap_or(0)))
            }
            _ => Err(failed(CUDA_ERROR_INVALID_VALUE)),
        });
        let (code, result, node) = match made {
            Ok(_) => (CUDA_SUCCESS, CUDA_GRAPH_INSTANTIATE_SUCCESS, 0),
            Err(refusal) => refusal,
        };
        params.result_out = result;
        params.hErrNode_out = std::ptr::without_provenance_mut(node);
        entry::write(instantiateParams, params)?;
        let handle = made.map_err(|_| code)?;
        entry::write(phGraphExec, std::ptr::without_provenance_mut(handle))
    }
    /// Does ahead what a launch would do first, which is nothing here; on no stream under capture (F195).
    fn cuGraphUpload(hGraph: CUgraphExec, hStream: CUstream) {
        let target = stream::target(hStream)?;
        let _exec = find(hGraph)?;
        capture::refuse(&target)
    }
    /// Enqueues an instantiated graph, on a stream of any context (F41) that is not captured.
    fn cuGraphLaunch(hGraphExec: CUgraphExec, hStream: CUstream) {
        let exec = find(hGraphExec)?;
        let target = stream::target(hStream)?;
        capture::refuse(&target)?;
        let levels = sync::lock(&exec.levels).clone();
        levels.iter().flatten().try_for_each(Node::check_life)?;
        account(&levels, exec.frees)?;
        let levels = launched(&levels);
        let records: Vec<_> = levels.iter().flatten().map(|node| node.work.clone()).collect();
        let mut last = sync::lock(&exec.last);
        let after = last.iter().cloned().collect();
        let ticket = if schedule::on() {
            target.life.submit_branches(&target.queue, after, branches(&levels))?
        } else {
            let work = move || levels.iter().try_for_each(|level| run(level));
            target.life.submit(&target.queue, after, Label::of_call(), Box::new(work))?
        };
        for work in &records {
            if let NodeWork::Record(event, _) = &**work {
                event.record(|| Ok(ticket.clone()))?;
            }
        }
        *last = Some(ticket);
        Ok(())
    }
    /// Destroys an instantiated graph; runs of it still finish.
    fn cuGraphExecDestroy(hGraphExec: CUgraphExec) {
        state().execs.remove(hGraphExec.addr()).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        Ok(())
    }
}
