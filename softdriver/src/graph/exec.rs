//! Graphs that can run.
#![allow(unsafe_code, reason = "exported functions")]

use super::child::flat;
use super::conditional::{Numbers, change_one};
use super::difference::{Difference, pairs};
use super::memory::Memory;
use super::node::places;
use super::user_object::Objects;
use super::{Graph, Node, Work as NodeWork};
use crate::domain;
use crate::driver::driver as state;
use crate::entry::{self, Answer, driver};
use crate::event::Stamp;
use crate::queue::{Ticket, Work};
use crate::schedule::{self, Label};
use crate::{capture, stack, stream, sync};
use core::ffi::c_ulonglong;
use cuscope_sys::*;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

/// The flags of an instantiation: freed memory at a launch, launches by the device, priorities. To
/// upload it at once (2) is for the function that is given a stream.
const INSTANTIATE_FLAGS: c_ulonglong = 1 | 4 | 8;

/// How many nodes run side by side.
const WIDTH: usize = 16;

/// A graph that can run.
pub(crate) struct Exec {
    levels: Mutex<Arc<Vec<Level>>>,
    /// The level of each node and its place there, by its handle.
    places: HashMap<usize, (usize, usize)>,
    /// Its last run: the next one waits for it, in whichever stream (F149).
    last: Mutex<Option<Arc<Ticket>>>,
    /// Whether a launch frees what the one before left.
    frees: bool,
    /// Of a graph that allocates or has conditional nodes: that there is this one of it.
    of: Option<Arc<AtomicBool>>,
    /// The flags of its instantiation.
    flags: c_ulonglong,
    /// What it keeps alive, as does each run of it.
    objects: Mutex<Arc<Objects>>,
    /// What its conditional nodes read.
    numbers: Mutex<Numbers>,
}

impl Drop for Exec {
    fn drop(&mut self) {
        self.of.iter().for_each(|of| of.store(false, Ordering::Release));
    }
}

/// Nodes of which none depends on another, while each depends on one of the level before.
pub(super) type Level = Vec<Node>;

/// Sorts nodes; one of a cycle, or behind it, if there is one.
fn levels(nodes: Vec<Node>) -> Result<Vec<Level>, usize> {
    let places = places(&nodes);
    // How many nodes each one still waits for, and the nodes behind each one.
    let (mut waits, mut behind) = (vec![0; nodes.len()], vec![Vec::new(); nodes.len()]);
    for (place, node) in nodes.iter().enumerate() {
        for &before in node.before.iter().filter_map(|before| places.get(before)) {
            waits[place] += 1;
            behind[before].push(place);
        }
    }
    let mut level_of = vec![0; nodes.len()];
    let mut ready: Vec<_> = (0..nodes.len()).filter(|&place| waits[place] == 0).collect();
    while let Some(one) = ready.pop() {
        for &later in &behind[one] {
            level_of[later] = level_of[later].max(level_of[one] + 1);
            waits[later] -= 1;
            if waits[later] == 0 {
                ready.push(later);
            }
        }
    }
    if let Some(stuck) = waits.iter().position(|&waits| waits > 0) {
        return Err(nodes[stuck].handle);
    }
    let count = level_of.iter().max().map_or(0, |last| last + 1);
    let mut levels: Vec<Level> = vec![Vec::new(); count];
    nodes.into_iter().zip(level_of).for_each(|(node, level)| levels[level].push(node));
    Ok(levels)
}

/// The instantiated graph of a handle; INVALID_VALUE for what is none.
pub(super) fn find(handle: CUgraphExec) -> Answer<Arc<Exec>> {
    state().execs.get(handle.addr()).ok_or(CUDA_ERROR_INVALID_VALUE)
}

impl Exec {
    /// Changes a node from the next launch on; INVALID_VALUE without one with this handle.
    pub(super) fn change<R>(
        &self,
        handle: usize,
        change: impl FnOnce(&mut Node) -> R,
    ) -> Answer<R> {
        let mut levels = sync::lock(&self.levels);
        let levels = Arc::make_mut(&mut levels);
        match self.places.get(&handle) {
            Some(&(level, place)) => Ok(change(&mut levels[level][place])),
            None => change_one(&mut levels.iter_mut().flatten(), handle, change)
                .ok_or(CUDA_ERROR_INVALID_VALUE),
        }
    }

    /// What it runs from now on; runs that were enqueued do what they did.
    pub(super) fn update(&self, graph: &Graph) -> Difference {
        let (Ok(new), Ok(numbers)) = (prepared(graph), graph.declarations.numbers()) else {
            return Difference::of(CU_GRAPH_EXEC_UPDATE_ERROR, 0);
        };
        // What is not kept any more is released once nothing is locked.
        let (new_objects, mut old) = (Arc::new(graph.all_objects()), None);
        let mut now = sync::lock(&self.levels);
        let change = match updated(&now, &new) {
            Err(difference) => difference,
            Ok(updated) => {
                *now = Arc::new(updated);
                *sync::lock(&self.numbers) = numbers;
                old = Some(std::mem::replace(&mut *sync::lock(&self.objects), new_objects));
                Difference::NONE
            }
        };
        drop(now);
        drop(old);
        change
    }

    /// The node with a handle.
    pub(super) fn node(&self, handle: usize) -> Option<Node> {
        let levels = sync::lock(&self.levels);
        let inside = |node: &Node| match &*node.work {
            NodeWork::Choice(choice) => choice.find(handle).cloned(),
            _ => None,
        };
        match self.places.get(&handle) {
            Some(&(level, place)) => Some(levels[level][place].clone()),
            None => levels.iter().flatten().find_map(inside),
        }
    }

    /// Has some of its nodes do what others do, which are of the same kinds in the same order.
    pub(super) fn replace(&self, old: &[Node], new: &[Node]) -> Answer {
        let kinds = |nodes: &[Node]| nodes.iter().map(Node::kind).collect::<Vec<_>>();
        if kinds(old) != kinds(new) {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let replace = |(old, new): (&Node, &Node)| {
            self.change(old.handle, |node| *node = node.with_work_of(new))
        };
        let replaced = old.iter().zip(new).filter(|&pair| replace(pair).is_ok()).count();
        if replaced > 0 { Ok(()) } else { Err(CUDA_ERROR_INVALID_VALUE) }
    }
}

/// What a launch allocates and frees; INVALID_VALUE if what it allocates is there, or what it frees is not
/// (F213).
fn account(levels: &[Level], frees: bool) -> Answer {
    let works = || levels.iter().flatten().map(|node| &*node.work);
    let (mut all_allocated, mut all_freed) = (HashSet::new(), HashSet::new());
    for work in works() {
        match work {
            NodeWork::Alloc(memory) => all_allocated.insert(Arc::as_ptr(memory)),
            NodeWork::Free(memory) => all_freed.insert(Arc::as_ptr(memory)),
            _ => false,
        };
    }
    let allocated = |memory: &Arc<Memory>| all_allocated.contains(&Arc::as_ptr(memory));
    let freed = |memory: &Arc<Memory>| all_freed.contains(&Arc::as_ptr(memory));
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

/// The nodes as a launch runs them: waits are for what events have recorded by now, records take times of their own, and values in the memory that is
/// there now; INVALID_VALUE if it is not.
fn launched(levels: &[Level]) -> Answer<Vec<Level>> {
    let node = |node: &Node| {
        let work = match &*node.work {
            NodeWork::Wait(event, _) => NodeWork::WaitFor(event.recorded()),
            NodeWork::Record(event, _) => NodeWork::RecordNow(event.clone(), Stamp::default()),
            NodeWork::Batch(batch) => NodeWork::Values(batch.ready()?),
            _ => return Ok(node.clone()),
        };
        Ok(node.with_work_of(&Node::new(Vec::new(), None, work)))
    };
    levels.iter().map(|level| level.iter().map(node).collect()).collect()
}

/// The nodes of a graph with what those of another one do. It goes by the nodes of the first graph, and what is off stays
/// off (F218).
fn updated(now: &[Level], new: &[Level]) -> Result<Vec<Level>, Difference> {
    let pairs = pairs(now, new)?;
    let works: HashMap<_, _> = pairs.iter().map(|(old, new)| (old.handle, *new)).collect();
    let update = |old: &Node| {
        let new = works.get(&old.handle)?;
        let mut node = old.with_work_of(new);
        if let (NodeWork::Choice(old), NodeWork::Choice(new)) = (&*old.work, &*new.work) {
            match old.updated(new, updated) {
                Ok(choice) => node.work = Arc::new(NodeWork::Choice(choice)),
                Err(difference) => return Some(Err(difference)),
            }
        }
        Some(Ok(node))
    };
    now.iter().map(|level| level.iter().filter_map(update).collect()).collect()
}

/// What keeps a graph from being instantiated: the code, what it is called, and the node.
type Refusal = (CUresult, CUgraphInstantiateResult, usize);

/// The nodes of a graph as they run, those of its conditional nodes in these.
fn prepared(graph: &Graph) -> Result<Vec<Level>, Refusal> {
    let failed = |code| (code, CUDA_GRAPH_INSTANTIATE_ERROR, 0);
    let mut nodes = flat(graph.nodes());
    nodes.iter().try_for_each(Node::check_now).map_err(failed)?;
    for node in &mut nodes {
        let work = node.work.clone();
        if let NodeWork::Conditional(conditional) = &*work {
            let bodies = conditional.bodies().map(prepared).collect::<Result<_, _>>()?;
            node.work = Arc::new(NodeWork::Choice(conditional.with(bodies)));
        } else if graph.body && !node.may_be_in_body() {
            return Err(failed(CUDA_ERROR_INVALID_VALUE)); // F524
        }
    }
    let invalid = CUDA_ERROR_INVALID_VALUE;
    levels(nodes).map_err(|node| (invalid, CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE, node))
}

/// Makes a graph ready to run, as it is now; its handle.
fn instantiate(graph: CUgraph, flags: c_ulonglong) -> Result<usize, Refusal> {
    let failed = |code| (code, CUDA_GRAPH_INSTANTIATE_ERROR, 0);
    let _current = stack::current().map_err(failed)?;
    let graph = super::find(graph).map_err(failed)?;
    if graph.child {
        return Err(failed(CUDA_ERROR_NOT_SUPPORTED)); // F212
    }
    if flags & 4 != 0 && graph.chooses() {
        return Err(failed(CUDA_ERROR_INVALID_VALUE)); // F523
    }
    let levels = prepared(&graph)?;
    let numbers = graph.declarations.numbers().map_err(failed)?;
    let place = |(level, nodes): (usize, &Level)| {
        let handles = nodes.iter().map(|node| node.handle);
        handles.enumerate().map(|(place, handle)| (handle, (level, place))).collect::<Vec<_>>()
    };
    let places = levels.iter().enumerate().flat_map(place).collect();
    let of = graph.is_single().then(|| graph.instantiated.clone());
    if of.as_ref().is_some_and(|of| of.swap(true, Ordering::AcqRel)) {
        return Err(failed(CUDA_ERROR_NOT_SUPPORTED)); // F213, F523
    }
    let frees = flags & 1 != 0;
    let levels = Mutex::new(Arc::new(levels));
    let (last, objects) = (Mutex::default(), Mutex::new(Arc::new(graph.all_objects())));
    let numbers = Mutex::new(numbers);
    let exec = Exec { levels, places, last, frees, of, flags, objects, numbers };
    Ok(state().execs.insert(|_| exec).0)
}

/// Runs a level, side by side (F149).
pub(super) fn run(level: &[Node], numbers: &Numbers) -> Answer {
    if let [one] = level {
        return one.run(numbers);
    }
    let next = AtomicUsize::new(0);
    // Once one fails, no more is begun.
    let run_some = || -> Answer {
        while let Some(one) = level.get(next.fetch_add(1, Ordering::Relaxed)) {
            one.run(numbers).inspect_err(|_| next.store(level.len(), Ordering::Relaxed))?;
        }
        Ok(())
    };
    domain::in_parts(|parts| {
        thread::scope(|scope| {
            let threads = 0..level.len().min(WIDTH);
            let threads: Vec<_> = threads.map(|_| scope.spawn(|| parts.run(run_some))).collect();
            let ends = threads.into_iter().map(|thread| thread.join());
            // All are joined before the first error counts.
            let ends: Vec<_> =
                ends.map(|end| end.unwrap_or(Err(CUDA_ERROR_LAUNCH_FAILED))).collect();
            ends.into_iter().collect()
        })
    })
}

/// The nodes as pieces of work of their own, with the indices of those that each is behind.
fn branches(
    levels: &[Level],
    kept: &Arc<Objects>,
    numbers: &Arc<Numbers>,
) -> Vec<(Vec<usize>, Label, Work)> {
    let nodes: Vec<_> = levels.iter().flatten().cloned().collect();
    let places = places(&nodes);
    let index = |handle: &usize| places.get(handle).copied();
    let branch = |node: &Node| {
        let before = node.before.iter().filter_map(index).collect();
        let (work, kept, numbers) = (node.clone(), kept.clone(), numbers.clone());
        let run = move || {
            let _kept = &kept;
            work.run(&numbers)
        };
        (before, node.label(), Box::new(run) as Work)
    };
    nodes.iter().map(branch).collect()
}

driver! {
    /// Makes a graph ready to run, as it is now; needs a current context.
    fn cuGraphInstantiateWithFlags(
        phGraphExec: *mut CUgraphExec,
        hGraph: CUgraph,
        flags: c_ulonglong,
    ) [needs_current, no_capture_in_context] {
        entry::wanted(phGraphExec)?;
        let _current = stack::current()?;
        let _graph = super::find(hGraph)?;
        // What frees its memory by itself is not launched by the device (F535).
        if flags & !INSTANTIATE_FLAGS != 0 || flags & 5 == 5 {
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
    ) [
        null(2) = CUDA_ERROR_INVALID_VALUE,
        // The body refuses it, behind a look at the arguments.
        host_fn,
        after_fault_if_zero(&[2]),
    ] {
        let mut params = entry::read(instantiateParams)?;
        entry::refuse_in_host_function()?;
        let failed = |code| (code, CUDA_GRAPH_INSTANTIATE_ERROR, 0);
        let made = entry::wanted(phGraphExec).map_err(failed).and_then(|()| match params.flags {
            0..4 | 8..12 => instantiate(hGraph, params.flags),
            4 | 6 | 12 | 14 => {
                let first = super::find(hGraph).map_err(failed)?.handles().first().copied();
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
    fn cuGraphUpload(hGraph: CUgraphExec, hStream: CUstream) [host_fn] {
        let target = stream::target(hStream)?;
        let _exec = find(hGraph)?;
        capture::refuse(&target)
    }
    /// Enqueues an instantiated graph, on a stream of any context (F41) that is not captured.
    fn cuGraphLaunch(hGraphExec: CUgraphExec, hStream: CUstream) [
        host_fn,
        launch,
        zero_is_current(1),
    ] {
        let exec = find(hGraphExec)?;
        let target = stream::target(hStream)?;
        capture::refuse(&target)?;
        let levels = sync::lock(&exec.levels).clone();
        levels.iter().flatten().try_for_each(Node::check_life)?;
        let ready = launched(&levels)?;
        account(&levels, exec.frees)?;
        let levels = ready;
        let records: Vec<_> = levels.iter().flatten().map(|node| node.work.clone()).collect();
        let kept = sync::lock(&exec.objects).clone();
        let numbers = sync::lock(&exec.numbers).of_run();
        let mut last = sync::lock(&exec.last);
        let after = last.iter().cloned().collect();
        let ticket = if schedule::on() {
            target.life.submit_branches(&target.queue, after, branches(&levels, &kept, &numbers))?
        } else {
            let work = move || {
                let _kept = &kept;
                levels.iter().try_for_each(|level| run(level, &numbers))
            };
            target.life.submit(&target.queue, after, Label::of_call(), Box::new(work))?
        };
        for work in &records {
            if let NodeWork::RecordNow(event, stamp) = &**work {
                event.record_node(ticket.clone(), stamp.clone());
            }
        }
        *last = Some(ticket);
        Ok(())
    }
    /// The flags with which a graph was instantiated.
    fn cuGraphExecGetFlags(hGraphExec: CUgraphExec, flags: *mut cuuint64_t) {
        let exec = find(hGraphExec)?;
        // Only how launches free memory is told.
        entry::write(flags, exec.flags & 1)
    }
    /// Destroys an instantiated graph; runs of it still finish.
    fn cuGraphExecDestroy(hGraphExec: CUgraphExec) [after_fault, no_capture] {
        state().execs.remove(hGraphExec.addr()).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        Ok(())
    }
}
