//! Differences that keep one graph from becoming another.

use crate::model::graph::exec::Level;
use crate::model::graph::node::{Node, Work};
use cuscope_sys::*;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

/// A difference that keeps one graph from becoming another, with the handles of a node of the other and of one before it, or 0.
pub(crate) struct Difference {
    pub(crate) result: CUgraphExecUpdateResult,
    pub(crate) node: usize,
    pub(crate) from: usize,
}

impl Difference {
    pub(super) const NONE: Self = Self { result: CU_GRAPH_EXEC_UPDATE_SUCCESS, node: 0, from: 0 };

    pub(super) fn of(result: CUgraphExecUpdateResult, node: usize) -> Self {
        Self { result, node, from: 0 }
    }

    fn edges(node: usize, from: usize) -> Self {
        Self { from, ..Self::of(CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, node) }
    }
}

/// The nodes by their handles, which are in the order in which they were added, and those that nothing runs after.
fn ends(levels: &[Level]) -> (HashMap<usize, &Node>, Vec<usize>) {
    let nodes: HashMap<_, _> = levels.iter().flatten().map(|node| (node.handle, node)).collect();
    let before: HashSet<_> = nodes.values().flat_map(|node| &node.before).collect();
    let mut ends: Vec<_> = nodes.keys().copied().filter(|node| !before.contains(node)).collect();
    ends.sort_unstable();
    (nodes, ends)
}

/// Pairs nodes with those whose work they could get, from the last nodes on to those before them (F500).
fn paired<'n>(now: &'n [Level], new: &'n [Level]) -> Result<Vec<(&'n Node, &'n Node)>, Difference> {
    let ((now, old_ends), (new, new_ends)) = (ends(now), ends(new));
    if now.len() != new.len() || old_ends.len() > new_ends.len() {
        return Err(Difference::edges(0, 0));
    }
    if old_ends.len() < new_ends.len() {
        return Err(Difference::edges(new_ends[0], 0));
    }
    let (mut pairs, mut partners, mut taken) = (Vec::new(), HashMap::new(), HashSet::new());
    let mut next: VecDeque<_> = old_ends.into_iter().zip(new_ends).collect();
    partners.extend(next.iter().copied());
    taken.extend(next.iter().map(|&(_, new)| new));
    while let Some((old, node)) = next.pop_front() {
        let before = |node: &Node, all: &HashMap<usize, &Node>| {
            let there = node.before.iter().copied().filter(|handle| all.contains_key(handle));
            let mut before: Vec<_> = there.collect();
            before.sort_unstable();
            before
        };
        let (old, node) = (now[&old], new[&node]);
        let (earlier, edges) = (before(old, &now), before(node, &new));
        if earlier.len() != edges.len() {
            return Err(Difference::edges(node.handle, 0));
        }
        for (was, is) in earlier.into_iter().zip(edges) {
            let fits = match partners.get(&was) {
                Some(&partner) => partner == is,
                None => taken.insert(is),
            };
            if !fits || old.edge_from(was) != node.edge_from(is) {
                return Err(Difference::edges(node.handle, is));
            }
            if partners.insert(was, is).is_none() {
                next.push_back((was, is));
            }
        }
        pairs.push((old, node));
    }
    Ok(pairs)
}

/// The nodes of a graph, each with the one whose work it gets if it becomes the other graph.
pub(crate) fn pairs<'n>(
    now: &'n [Level],
    new: &'n [Level],
) -> Result<Vec<(&'n Node, &'n Node)>, Difference> {
    let pairs = paired(now, new)?;
    let first = |differ: fn(&Node, &Node) -> bool| {
        pairs.iter().find(|(a, b)| differ(a, b)).map(|(_, new)| new.handle)
    };
    let refuse =
        |result, differ| first(differ).map_or(Ok(()), |node| Err(Difference::of(result, node)));
    refuse(CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED, |a, b| a.kind() != b.kind())?;
    refuse(CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED, |a, b| match (&*a.work, &*b.work) {
        (Work::Choice(a), Work::Choice(b)) => !a.can_become(b),
        _ => false,
    })?;
    // Other addresses (F213).
    let moved = |a: &Node, b: &Node| match (&*a.work, &*b.work) {
        (Work::Alloc(a), Work::Alloc(b)) => !Arc::ptr_eq(a, b),
        _ => false,
    };
    if first(moved).is_some() {
        return Err(Difference::of(CU_GRAPH_EXEC_UPDATE_ERROR, 0));
    }
    refuse(
        CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE,
        |a, b| matches!((&*a.work, &*b.work), (Work::Kernel(a), Work::Kernel(b)) if !a.life().is(b.life())),
    )?;
    refuse(CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED, |a, b| cooperates(a) != cooperates(b))?;
    refuse(CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED, |a, b| !can_become(a, b))?;
    Ok(pairs)
}

fn cooperates(node: &Node) -> bool {
    matches!(&*node.work, Work::Kernel(launch) if launch.is_cooperative())
}

/// Whether a node can get the parameters of another one of its kind.
fn can_become(old: &Node, new: &Node) -> bool {
    match (&*old.work, &*new.work) {
        (Work::Fill(old), Work::Fill(new)) => old.can_become(new) && old.is_at_home_of(new),
        (Work::Copy(old), Work::Copy(new)) => old.can_become(new) && old.is_like(new),
        (Work::Batch(old), Work::Batch(new)) => old.can_become(new),
        (Work::Record(old, _), Work::Record(new, _)) => old.life.is(&new.life),
        _ => true,
    }
}
