//! Graphs: made node by node or by a capture, and run as a whole.
#![allow(unsafe_code, reason = "exported functions")]

mod add;
mod child;
mod dot;
mod edit;
mod enabled;
mod event;
mod exec;
mod kernel;
mod memory;
mod node;
mod params;
mod query;
mod update;

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
pub use child::{
    cuGraphAddChildGraphNode, cuGraphChildGraphNodeGetGraph, cuGraphExecChildGraphNodeSetParams,
};
pub use dot::cuGraphDebugDotPrint;
pub use edit::{
    cuGraphAddDependencies, cuGraphAddDependencies_v2, cuGraphClone, cuGraphDestroyNode,
    cuGraphNodeFindInClone, cuGraphNodeGetDependentNodes, cuGraphRemoveDependencies,
    cuGraphRemoveDependencies_v2,
};
pub use enabled::{cuGraphNodeGetEnabled, cuGraphNodeSetEnabled};
pub use event::{
    cuGraphAddEventRecordNode, cuGraphAddEventWaitNode, cuGraphEventRecordNodeGetEvent,
    cuGraphEventRecordNodeSetEvent, cuGraphEventWaitNodeGetEvent, cuGraphEventWaitNodeSetEvent,
    cuGraphExecEventRecordNodeSetEvent, cuGraphExecEventWaitNodeSetEvent,
};
pub(crate) use exec::Exec;
use exec::find as find_exec;
pub use exec::{
    cuGraphExecDestroy, cuGraphInstantiateWithFlags, cuGraphInstantiateWithParams, cuGraphLaunch,
    cuGraphUpload,
};
pub use kernel::{
    cuGraphExecKernelNodeSetParams_v2, cuGraphKernelNodeGetParams_v2, cuGraphKernelNodeSetParams_v2,
};
pub(crate) use memory::leave;
pub use memory::{
    cuDeviceGetGraphMemAttribute, cuDeviceGraphMemTrim, cuDeviceSetGraphMemAttribute,
    cuGraphAddMemAllocNode, cuGraphAddMemFreeNode, cuGraphMemAllocNodeGetParams,
    cuGraphMemFreeNodeGetParams,
};
pub(crate) use node::{Fill, Node, Work};
pub use params::{
    cuGraphExecHostNodeSetParams, cuGraphExecMemcpyNodeSetParams, cuGraphExecMemsetNodeSetParams,
    cuGraphHostNodeGetParams, cuGraphHostNodeSetParams, cuGraphMemcpyNodeGetParams,
    cuGraphMemcpyNodeSetParams, cuGraphMemsetNodeGetParams, cuGraphMemsetNodeSetParams,
};
pub(crate) use query::PLAIN;
pub use query::{
    cuGraphGetEdges, cuGraphGetEdges_v2, cuGraphGetNodes, cuGraphGetRootNodes,
    cuGraphNodeGetDependencies, cuGraphNodeGetType,
};
pub use update::cuGraphExecUpdate_v2;

/// A graph under construction.
#[derive(Default)]
pub(crate) struct Graph {
    /// In the order in which they were added.
    nodes: Mutex<Vec<Node>>,
    /// Whether it belongs to a capture that goes on.
    captured: AtomicBool,
    /// Whether it is that of a child graph node.
    child: bool,
    /// Whether it allocates and something was instantiated of it, until that ends.
    instantiated: Arc<AtomicBool>,
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

    /// Whether it belongs to a node of another one.
    pub(crate) fn is_child(&self) -> bool {
        self.child
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

    /// A copy with nodes of its own; NOT_SUPPORTED if it allocates (F213).
    fn copied(&self) -> Answer<Self> {
        if self.allocates() {
            return Err(CUDA_ERROR_NOT_SUPPORTED);
        }
        let nodes = self.nodes();
        let mut copies: Vec<_> = nodes.iter().map(Node::copied).collect();
        let new: Vec<_> = copies.iter().map(|copy| copy.handle).collect();
        let handle_of = |old: &usize| {
            let index = nodes.iter().position(|node| node.handle == *old);
            index.and_then(|index| new.get(index).copied())
        };
        for copy in &mut copies {
            copy.before = copy.before.iter().filter_map(handle_of).collect();
        }
        Ok(Graph { nodes: copies.into(), ..Graph::default() })
    }

    /// Whether a node allocates or frees.
    fn allocates(&self) -> bool {
        let nodes = self.nodes();
        nodes.iter().any(|node| matches!(*node.work, Work::Alloc(_) | Work::Free(_)))
    }

    /// Whether a node frees the memory that holds `len` bytes at the address.
    fn frees(&self, address: u64, len: usize) -> bool {
        self.nodes().iter().any(|node| match &*node.work {
            Work::Free(memory) => memory.holds(address, len),
            _ => false,
        })
    }

    /// INVALID_VALUE for memory that a node frees: nothing more is added that uses it (F213).
    fn names(&self, address: u64) -> Answer {
        if self.frees(address, 1) { Err(CUDA_ERROR_INVALID_VALUE) } else { Ok(()) }
    }

    /// Its nodes.
    fn nodes(&self) -> Vec<Node> {
        sync::lock(&self.nodes).clone()
    }

    /// Whether all of `nodes` are among `ends` or before one of them.
    pub(crate) fn reaches(&self, ends: &[usize], nodes: &[usize]) -> bool {
        let all = sync::lock(&self.nodes);
        let mut reached = Vec::new();
        let mut next = ends.to_vec();
        while let Some(one) = next.pop() {
            if !reached.contains(&one) {
                reached.push(one);
                let node = all.iter().find(|node| node.handle == one);
                next.extend(node.into_iter().flat_map(|node| &node.before));
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
        let graph = find(hGraph)?;
        if graph.captured() {
            return Err(CUDA_ERROR_ILLEGAL_STATE);
        }
        state().graphs.remove(hGraph.addr()).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        Ok(())
    }
}
