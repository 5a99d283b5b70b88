//! The nodes of a graph that is being built, and of the graphs of its conditional nodes, by their places.
#![allow(unsafe_code, reason = "calls the driver, and says that handles may be sent")]

use crate::call::answer;
use crate::error::Result;
use ffi::{CUgraph, CUgraphNode};
use std::collections::{BTreeSet, HashMap};

/// All nodes have one row of places. Each is in a region: the graph itself, or a graph of a conditional node.
pub(super) struct Regions {
    nodes: Vec<Placed>,
    /// The first one is the graph itself.
    regions: Vec<Region>,
    /// The region that nodes are added to.
    now: usize,
    /// The places of conditional nodes, with those that they are behind.
    behind: HashMap<usize, BTreeSet<usize>>,
}

// SAFETY: the handles are those of one graph, whose `Template` may be sent, and they go with it.
unsafe impl Send for Regions {}

struct Placed {
    node: CUgraphNode,
    /// The number of its region.
    region: usize,
    /// Whether no node of its region is known to be behind it.
    is_last: bool,
}

struct Region {
    graph: CUgraph,
    /// The region and the place of the conditional node whose graph it is.
    within: Option<(usize, usize)>,
}

impl Regions {
    #[inline]
    pub(super) fn new(graph: CUgraph) -> Self {
        let regions = vec![Region { graph, within: None }];
        Regions { nodes: Vec::new(), regions, now: 0, behind: HashMap::new() }
    }

    /// Of a graph without conditional nodes, whose edges are not known.
    #[inline]
    pub(super) fn of(graph: CUgraph, nodes: &[CUgraphNode]) -> Self {
        let mut all = Regions::new(graph);
        nodes.iter().for_each(|&node| all.push(node));
        all
    }

    /// Returns the places of the nodes of the graph itself that no other is known to be behind.
    #[inline]
    pub(super) fn last(&self) -> Vec<usize> {
        let is_last = |&place: &usize| self.nodes[place].region == 0 && self.nodes[place].is_last;
        (0..self.len()).filter(is_last).collect()
    }

    /// Returns the number of nodes, which is the place of the next one.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the graph that nodes are added to.
    pub(super) fn graph(&self) -> CUgraph {
        self.regions[self.now].graph
    }

    /// Returns whether it is the graph of a conditional node.
    pub(super) fn is_inside(&self) -> bool {
        self.now != 0
    }

    #[inline]
    pub(super) fn push(&mut self, node: CUgraphNode) {
        self.nodes.push(Placed { node, region: self.now, is_last: true });
    }

    /// Returns the nodes by their places.
    #[inline]
    pub(super) fn nodes(&self) -> Vec<CUgraphNode> {
        self.nodes.iter().map(|placed| placed.node).collect()
    }

    /// Says that the last node is a conditional one, behind nodes at these places of its region.
    #[inline]
    pub(super) fn is_conditional(&mut self, behind: &[usize]) {
        self.behind.insert(self.len() - 1, behind.iter().copied().collect());
    }

    /// Adds to the graph of a conditional node at a place from now on. Returns the region before.
    #[inline]
    pub(super) fn enter(&mut self, graph: CUgraph, place: usize) -> usize {
        self.regions.push(Region { graph, within: Some((self.now, place)) });
        std::mem::replace(&mut self.now, self.regions.len() - 1)
    }

    /// Adds to this region again.
    pub(super) fn leave(&mut self, before: usize) {
        self.now = before;
    }

    /// Returns the place in a region at which a node is: its own, or that of the conditional node around it. `None` if
    /// it is not in the region at all.
    #[inline]
    fn seen_from(&self, region: usize, place: usize) -> Option<usize> {
        let (mut own, mut seen) = (self.nodes[place].region, place);
        while own != region {
            (own, seen) = self.regions[own].within?;
        }
        Some(seen)
    }

    /// Orders the next node behind nodes at these places. Returns the places of those that it has to depend on itself.
    /// Where the other node is outside of this region, the conditional node around the next one depends on it.
    ///
    /// # Errors
    /// A driver error.
    #[inline]
    pub(super) fn order(&mut self, mut before: Vec<usize>) -> Result<Vec<usize>> {
        before.sort_unstable();
        let mut own = Vec::new();
        for place in before {
            let (mut region, mut around) = (self.now, None);
            // The outermost region has all nodes.
            let seen = loop {
                match (self.seen_from(region, place), self.regions[region].within) {
                    (Some(seen), _) => break seen,
                    (None, Some((outer, node))) => (region, around) = (outer, Some(node)),
                    (None, None) => break place,
                }
            };
            match around {
                None => own.push(seen),
                // Both are in graphs of one node, of which one runs, or this node is the one around.
                Some(around) if around == seen => {}
                Some(around) => self.depend(region, seen, around)?,
            }
        }
        own.dedup();
        own.iter().for_each(|&place| self.nodes[place].is_last = false);
        Ok(own)
    }

    /// Has a conditional node depend on another node of its region.
    #[inline]
    fn depend(&mut self, region: usize, on: usize, node: usize) -> Result {
        if !self.behind.entry(node).or_default().insert(on) {
            return Ok(());
        }
        self.nodes[on].is_last = false;
        let graph = self.regions[region].graph;
        let (from, to) = (self.nodes[on].node, self.nodes[node].node);
        // SAFETY: the graph is alive as long as its builder, and both nodes are of it. The edge is new, and makes no cycle,
        // since the first node was added before the graph of the second one got any.
        unsafe { answer!(cuGraphAddDependencies(graph, &raw const from, &raw const to, 1)) }
            .check()?;
        Ok(())
    }

    /// Returns the nodes at places.
    #[inline]
    pub(super) fn at(&self, places: &[usize]) -> Vec<CUgraphNode> {
        places.iter().filter_map(|&place| Some(self.nodes.get(place)?.node)).collect()
    }
}
