//! Graphs: made node by node or by a capture, and run as a whole.
#![allow(unsafe_code, reason = "exported functions")]

mod add;
mod exec;
mod node;
mod query;

use crate::driver::driver as state;
use crate::entry::{self, Answer, driver};
use crate::sync;
use core::ffi::c_uint;
use cuscope_sys::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

pub use add::{
    cuGraphAddEmptyNode, cuGraphAddHostNode, cuGraphAddKernelNode_v2, cuGraphAddMemcpyNode,
    cuGraphAddMemsetNode,
};
pub(crate) use exec::Exec;
pub use exec::{cuGraphExecDestroy, cuGraphInstantiateWithFlags, cuGraphLaunch};
pub(crate) use node::{Fill, Node, Work};
pub(crate) use query::PLAIN;
pub use query::{
    cuGraphGetEdges, cuGraphGetEdges_v2, cuGraphGetNodes, cuGraphGetRootNodes,
    cuGraphNodeGetDependencies, cuGraphNodeGetType,
};

/// A graph under construction.
#[derive(Default)]
pub(crate) struct Graph {
    /// Each behind what it depends on.
    nodes: Mutex<Vec<Node>>,
    /// Whether it belongs to a capture that goes on.
    captured: AtomicBool,
}

impl Graph {
    /// An empty graph of a capture, and its handle.
    pub(crate) fn of_capture() -> (usize, Arc<Self>) {
        let graph = || Self { captured: AtomicBool::new(true), ..Self::default() };
        state().graphs.insert(|_| graph())
    }

    /// Whether it belongs to a capture that goes on.
    pub(crate) fn captured(&self) -> bool {
        self.captured.load(Ordering::Acquire)
    }

    /// Hands it to the program: its capture has ended.
    pub(crate) fn release(&self) {
        self.captured.store(false, Ordering::Release);
    }

    /// Adds a node behind others of this graph, and gives its handle.
    pub(crate) fn add(&self, node: Node) -> usize {
        let handle = node.handle;
        sync::lock(&self.nodes).push(node);
        handle
    }

    /// Its nodes.
    fn nodes(&self) -> Vec<Node> {
        sync::lock(&self.nodes).clone()
    }

    /// Whether all of `nodes` are among `ends` or before one of them.
    pub(crate) fn reaches(&self, ends: &[usize], nodes: &[usize]) -> bool {
        let mut reached = ends.to_vec();
        // A node depends on earlier ones only.
        for node in sync::lock(&self.nodes).iter().rev() {
            if reached.contains(&node.handle) {
                reached.extend(&node.before);
            }
        }
        nodes.iter().all(|node| reached.contains(node))
    }
}

/// The graph of a handle; INVALID_VALUE for what is none.
fn find(handle: CUgraph) -> Answer<Arc<Graph>> {
    state().graphs.get(handle.addr()).ok_or(CUDA_ERROR_INVALID_VALUE)
}

driver! {
    /// Creates an empty graph; needs no context (F41).
    fn cuGraphCreate(phGraph: *mut CUgraph, flags: c_uint) {
        entry::wanted(phGraph)?;
        if flags != 0 {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let (handle, _) = state().graphs.insert(|_| Graph::default());
        entry::write(phGraph, std::ptr::without_provenance_mut(handle))
    }
    /// Destroys a graph, unless a capture still adds to it; what was instantiated from it stays.
    fn cuGraphDestroy(hGraph: CUgraph) {
        if find(hGraph)?.captured() {
            return Err(CUDA_ERROR_ILLEGAL_STATE);
        }
        state().graphs.remove(hGraph.addr()).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        Ok(())
    }
}
