//! Graphs that can run.

use crate::entry::Answer;
use crate::model::graph::Graph;
use crate::model::graph::child::flat;
use crate::model::graph::conditional::change_one;
use crate::model::graph::difference::{Difference, pairs};
use crate::model::graph::node::{Node, Work as NodeWork, places};
use crate::model::graph::user_object::Objects;
use crate::model::numbers::Numbers;
use crate::queue::Ticket;
use crate::registry::Registry;
use crate::{domain, sync};
use core::ffi::c_ulonglong;
use cuscope_sys::*;
use std::collections::HashMap;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

/// How many nodes run side by side.
const WIDTH: usize = 16;

/// Instantiated graphs.
pub(crate) static EXECS: LazyLock<Registry<Exec>> = LazyLock::new(|| Registry::new(0x47));

/// A graph that can run.
pub(crate) struct Exec {
    pub(crate) levels: Mutex<Arc<Vec<Level>>>,
    /// The level of each node and its place there, by its handle.
    pub(crate) places: HashMap<usize, (usize, usize)>,
    /// Its last run: the next one waits for it, in whichever stream (F149).
    pub(crate) last: Mutex<Option<Arc<Ticket>>>,
    /// Whether a launch frees what the one before left.
    pub(crate) frees: bool,
    /// Of a graph that allocates or has conditional nodes: that there is this one of it.
    pub(crate) of: Option<Arc<AtomicBool>>,
    /// The flags of its instantiation.
    pub(crate) flags: c_ulonglong,
    /// The objects that it keeps alive, as does each run of it.
    pub(crate) objects: Mutex<Arc<Objects>>,
    /// The numbers that its conditional nodes read.
    pub(crate) numbers: Mutex<Numbers>,
}

impl Drop for Exec {
    fn drop(&mut self) {
        self.of.iter().for_each(|of| of.store(false, Ordering::Release));
    }
}

/// Nodes of which none depends on another, while each depends on one of the level before.
pub(crate) type Level = Vec<Node>;

/// Sorts nodes; one of a cycle, or after it, if there is one.
pub(crate) fn levels(nodes: Vec<Node>) -> Result<Vec<Level>, usize> {
    let places = places(&nodes);
    // How many nodes each one still waits for, and the nodes after each one.
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

impl Exec {
    /// Changes a node from the next launch on; INVALID_VALUE without one with this handle.
    pub(crate) fn change<R>(
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

    /// Changes the work that it runs from now on; runs that were enqueued do their old work.
    pub(crate) fn update(&self, graph: &Graph) -> Difference {
        let (Ok(new), Ok(numbers)) = (prepared(graph), graph.declarations.numbers()) else {
            return Difference::of(CU_GRAPH_EXEC_UPDATE_ERROR, 0);
        };
        // Objects that are not kept any more are released once nothing is locked.
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
    pub(crate) fn node(&self, handle: usize) -> Option<Node> {
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

/// The reason why a graph cannot be instantiated: the code, its name, and the node.
pub(crate) type Refusal = (CUresult, CUgraphInstantiateResult, usize);

/// The nodes of a graph as they run, those of its conditional nodes in these.
pub(crate) fn prepared(graph: &Graph) -> Result<Vec<Level>, Refusal> {
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

/// Runs a level, side by side (F149).
pub(crate) fn run(level: &[Node], numbers: &Numbers) -> Answer {
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
