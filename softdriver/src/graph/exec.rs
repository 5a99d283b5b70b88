//! Graphs that can run.
#![allow(unsafe_code, reason = "exported functions")]

use super::{Node, find};
use crate::driver::driver as state;
use crate::entry::{self, Answer, driver};
use crate::queue::{Ticket, Work};
use crate::schedule::{self, Label};
use crate::{capture, stack, stream, sync};
use core::ffi::c_ulonglong;
use cuscope_sys::*;
use std::sync::{Arc, Mutex};
use std::thread;

/// The flags of an instantiation: freed memory at a launch, launches by the device, priorities. To
/// upload it at once (2) is for another function.
const INSTANTIATE_FLAGS: c_ulonglong = 1 | 4 | 8;

/// How many nodes run side by side.
const WIDTH: usize = 16;

/// A graph that can run.
pub(crate) struct Exec {
    levels: Arc<[Level]>,
    /// Its last run: the next one waits for it, in whichever stream (F149).
    last: Mutex<Option<Arc<Ticket>>>,
}

/// Nodes of which none depends on another, while each depends on one of the level before.
type Level = Vec<Node>;

/// Sorts nodes, each of which depends on earlier ones only.
fn levels(nodes: Vec<Node>) -> Vec<Level> {
    let mut levels: Vec<Level> = Vec::new();
    for node in nodes {
        let is_before = |one: &Node| node.before.contains(&one.handle);
        let last = levels.iter().rposition(|level| level.iter().any(is_before));
        match levels.get_mut(last.map_or(0, |last| last + 1)) {
            Some(level) => level.push(node),
            None => levels.push(vec![node]),
        }
    }
    levels
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
        let graph = find(hGraph)?;
        if flags & !INSTANTIATE_FLAGS != 0 {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let nodes = graph.nodes();
        nodes.iter().try_for_each(Node::check_now)?;
        let exec = Exec { levels: levels(nodes).into(), last: Mutex::default() };
        let (handle, _) = state().execs.insert(|_| exec);
        entry::write(phGraphExec, std::ptr::without_provenance_mut(handle))
    }
    /// Enqueues an instantiated graph, on a stream of any context (F41) that is not captured.
    fn cuGraphLaunch(hGraphExec: CUgraphExec, hStream: CUstream) {
        let exec = state().execs.get(hGraphExec.addr()).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        let target = stream::target(hStream)?;
        capture::refuse(&target)?;
        exec.levels.iter().flatten().try_for_each(Node::check_life)?;
        let levels = exec.levels.clone();
        let mut last = sync::lock(&exec.last);
        let after = last.iter().cloned().collect();
        let ticket = if schedule::on() {
            target.life.submit_branches(&target.queue, after, branches(&levels))?
        } else {
            let work = move || levels.iter().try_for_each(|level| run(level));
            target.life.submit(&target.queue, after, Label::of_call(), Box::new(work))?
        };
        *last = Some(ticket);
        Ok(())
    }
    /// Destroys an instantiated graph; runs of it still finish.
    fn cuGraphExecDestroy(hGraphExec: CUgraphExec) {
        state().execs.remove(hGraphExec.addr()).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        Ok(())
    }
}
