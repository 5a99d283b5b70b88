//! The driver's graphs, as values that own them.
#![allow(unsafe_code, reason = "calls the driver, and says that a graph may be sent")]

use super::{NodeId, NodeKind, OTHER_GRAPH, refusals};
use crate::call::{answer, later, name};
use crate::driver::capture_mode::{relaxed, release_relaxed};
use crate::driver::release::release;
use crate::error::Result;
use crate::stack::PushedGuard;
use ffi::{
    CUDA_MEMSET_NODE_PARAMS, CUgraph, CUgraphExec, CUgraphNode, CUgraphNodeParams,
    CUgraphNodeParams_anonymous, CUgraphNodeType,
};
use std::cell::{Cell, OnceCell};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::mem::{self, ManuallyDrop};
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};

/// Returns the parameters of a node of this type, all 0 otherwise: the driver refuses reserved bytes that are not.
#[inline]
pub(super) fn node_params(r#type: CUgraphNodeType) -> CUgraphNodeParams {
    let anonymous = CUgraphNodeParams_anonymous { reserved1: [0; 29] };
    CUgraphNodeParams { r#type, reserved0: [0; 3], anonymous, reserved2: 0 }
}

/// A graph: nodes and edges.
pub(super) struct Template {
    /// Null once it is [taken](Self::take) out.
    raw: CUgraph,
    /// A number that no other graph of this process has.
    id: u64,
    /// The number of the graph from which it was copied, if it is a copy.
    copy_of: Option<u64>,
    /// Set once somebody has asked for them.
    nodes: OnceCell<Vec<CUgraphNode>>,
    /// The fills that were asked for, by the places of their nodes. They stay as they are.
    fills: BTreeMap<usize, CUDA_MEMSET_NODE_PARAMS>,
}
// SAFETY: a graph is not tied to a thread, and none of its calls needs a current context but
// instantiation, which looks (F41). It is not `Sync`: the driver does not order calls on one graph.
unsafe impl Send for Template {}

impl Template {
    /// Owns a graph that nothing else owns.
    #[inline]
    pub(super) fn new(raw: CUgraph) -> Template {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        Template { raw, id, copy_of: None, nodes: OnceCell::new(), fills: BTreeMap::new() }
    }

    /// Takes the graph out. What is left destroys nothing.
    #[cold]
    #[inline]
    pub(super) fn take(&mut self) -> Template {
        Template::new(mem::replace(&mut self.raw, ptr::null_mut()))
    }

    /// Creates a graph without nodes.
    ///
    /// # Errors
    /// A driver error.
    #[inline]
    pub(super) fn create() -> Result<Template> {
        let mut raw = ptr::null_mut();
        // SAFETY: writes one handle to `raw`, which is valid for it; needs no current context (F41).
        unsafe { answer!(cuGraphCreate(&raw mut raw, 0)) }.check()?;
        Ok(Template::new(raw))
    }

    /// Creates a copy, with copies of the nodes at the same places.
    ///
    /// # Errors
    /// A driver error.
    #[inline]
    pub(super) fn copy(&self) -> Result<Template> {
        let mut raw = ptr::null_mut();
        // SAFETY: writes one handle to `raw`, which is valid for it; the graph is alive, and so is what it
        // names; no context need be current (F217).
        unsafe { answer!(cuGraphClone(&raw mut raw, self.raw)) }.check()?;
        let mut copy = Template::new(raw);
        copy.copy_of = Some(self.id);
        let mut nodes = Vec::new();
        for &of in self.nodes()? {
            let mut node = ptr::null_mut();
            // SAFETY: writes one handle to `node`, which is valid for it; both graphs are alive, and the node
            // is one of the first.
            unsafe { answer!(cuGraphNodeFindInClone(&raw mut node, of, raw)) }.check()?;
            nodes.push(node);
        }
        copy.set_nodes(nodes);
        Ok(copy)
    }

    pub(super) fn raw(&self) -> CUgraph {
        self.raw
    }

    pub(super) fn id(&self) -> u64 {
        self.id
    }

    pub(super) fn copy_of(&self) -> Option<u64> {
        self.copy_of
    }

    /// Sets its nodes, if they are known already.
    #[inline]
    pub(super) fn set_nodes(&mut self, nodes: Vec<CUgraphNode>) {
        self.nodes = nodes.into();
    }

    /// Returns its nodes, by their places.
    ///
    /// # Errors
    /// A driver error.
    #[inline]
    pub(super) fn nodes(&self) -> Result<&[CUgraphNode]> {
        match self.nodes.get() {
            Some(nodes) => Ok(nodes),
            None => self.ask_for_nodes(),
        }
    }

    /// Apart, as it is done once.
    #[cold]
    fn ask_for_nodes(&self) -> Result<&[CUgraphNode]> {
        let mut count = self.count()?;
        let mut nodes = vec![ptr::null_mut(); count];
        if count > 0 {
            // SAFETY: the graph is alive; writes at most `count` handles to `nodes`, which has room for them.
            unsafe { answer!(cuGraphGetNodes(self.raw, nodes.as_mut_ptr(), &raw mut count)) }
                .check()?;
        }
        Ok(self.nodes.get_or_init(|| nodes))
    }

    /// Returns the number of nodes.
    ///
    /// # Errors
    /// A driver error.
    #[inline]
    pub(super) fn count(&self) -> Result<usize> {
        // Those that are known include the nodes of conditional ones' graphs.
        if let Some(nodes) = self.nodes.get() {
            return Ok(nodes.len());
        }
        let mut count = 0;
        // SAFETY: the graph is alive; null for the nodes has their number written to `count`.
        unsafe { answer!(cuGraphGetNodes(self.raw, ptr::null_mut(), &raw mut count)) }.check()?;
        Ok(count)
    }

    /// Returns all nodes with their kinds.
    ///
    /// # Errors
    /// A driver error.
    #[inline]
    pub(super) fn list(&self) -> Result<Vec<NodeId>> {
        let kind_of = |(place, &node): (usize, &CUgraphNode)| {
            let mut kind = ffi::CU_GRAPH_NODE_TYPE_EMPTY;
            // SAFETY: the node is one of the graph, which is alive; writes one number to `kind`.
            unsafe { answer!(cuGraphNodeGetType(node, &raw mut kind)) }.check()?;
            Ok(NodeId { graph: self.id, place, kind: NodeKind::new(kind) })
        };
        self.nodes()?.iter().enumerate().map(kind_of).collect()
    }

    /// Returns the number of edges.
    ///
    /// # Errors
    /// A driver error.
    #[inline]
    pub(super) fn edges(&self) -> Result<usize> {
        let (from, to, mut count) = (ptr::null_mut(), ptr::null_mut(), 0);
        // SAFETY: the graph is alive; null for both ends of the edges has their number written to `count`.
        unsafe { answer!(cuGraphGetEdges(self.raw, from, to, &raw mut count)) }.check()?;
        Ok(count)
    }

    /// Returns what a fill node of this graph fills, which is asked for once.
    ///
    /// # Errors
    /// A driver error.
    #[inline]
    pub(super) fn fill(
        &mut self,
        place: usize,
        node: CUgraphNode,
    ) -> Result<CUDA_MEMSET_NODE_PARAMS> {
        let unknown = match self.fills.entry(place) {
            Entry::Occupied(known) => return Ok(*known.get()),
            Entry::Vacant(unknown) => unknown,
        };
        let mut params = CUDA_MEMSET_NODE_PARAMS {
            dst: 0,
            pitch: 0,
            value: 0,
            elementSize: 0,
            width: 0,
            height: 0,
        };
        // SAFETY: the node is alive with the graph; writes to `params`, which is valid for it.
        unsafe { answer!(cuGraphMemsetNodeGetParams(node, &raw mut params)) }.check()?;
        Ok(*unknown.insert(params))
    }

    /// Returns the handle of a node.
    ///
    /// # Errors
    /// `InvalidArgument` for a node of another graph.
    #[inline]
    pub(super) fn node(&self, call: &'static str, node: NodeId) -> Result<CUgraphNode> {
        if node.graph == self.id {
            if let Some(&raw) = self.nodes()?.get(node.place) {
                return Ok(raw);
            }
        }
        Err(refusals::not_made(call, OTHER_GRAPH))
    }
}

impl Drop for Template {
    #[inline]
    fn drop(&mut self) {
        if self.raw.is_null() {
            return;
        }
        // SAFETY: this is the only owner of the graph, which was made and not destroyed, and whose
        // capture is over.
        release(|| unsafe { answer!(cuGraphDestroy(self.raw)) }, || Template::new(self.raw));
    }
}

/// An executable graph. The handle is null once the graph is lost. (An `Option` would lead the compiler's
/// messages through the sources of `core`.)
pub(super) struct Exec {
    raw: CUgraphExec,
    /// The number of the graph from which it was created, whose nodes it knows.
    of: u64,
}
// SAFETY: as for `Template`: launched and destroyed whatever is current (F41), by one thread at a time.
unsafe impl Send for Exec {}

impl Exec {
    /// Returns the handle, unless the graph is lost.
    #[inline]
    pub(super) fn raw(&self) -> Option<CUgraphExec> {
        (!self.raw.is_null()).then_some(self.raw)
    }

    /// Returns whether it knows the nodes of a graph. It does not know those of a graph that it was updated to
    /// ([F218](crate::driver_facts#F218)).
    pub(super) fn is_of(&self, template: &Template) -> bool {
        self.of == template.id
    }

    /// Destroys it: an update failed, and may have changed a part of it.
    #[inline]
    pub(super) fn lose(&mut self) {
        drop(self.take());
    }

    /// Takes it out. What is left destroys nothing.
    #[inline]
    pub(super) fn take(&mut self) -> Exec {
        mem::replace(self, Exec { raw: ptr::null_mut(), of: 0 })
    }

    /// Destroys it. If the driver refuses that only on this thread, what `again` makes of it is dropped later.
    #[inline]
    pub(super) fn end<T: Send + 'static>(self, again: impl FnOnce(Exec) -> T) {
        let exec = ManuallyDrop::new(self);
        let Some(raw) = exec.raw() else { return };
        // SAFETY: this is the only owner of the handle, which was made and not destroyed. Nothing runs it, as
        // replays borrow it until they are waited for, except behind a fault of another context (F326): then
        // it is freed when it has run (CUDA driver API, `cuGraphExecDestroy`). Captures do not refuse it (F141).
        let destroy = unsafe { later!(cuGraphExecDestroy(raw)) };
        release_relaxed(destroy, || again(Exec { ..*exec }));
    }

    /// Creates an executable graph.
    ///
    /// # Errors
    /// `NotCurrent`; a driver error.
    #[inline]
    pub(super) fn new(gpu: &PushedGuard<'_>, template: &Template) -> Result<Exec> {
        gpu.enter(name!(cuGraphInstantiateWithFlags))?;
        let raw = Cell::new(ptr::null_mut());
        // SAFETY: writes one handle to `raw`, which is valid for it; the graph is alive, and so are the
        // memory and the code that it names. The current context is the guard's, as `enter` found.
        // Captures do not refuse it (F141).
        let make = unsafe { later!(cuGraphInstantiateWithFlags(raw.as_ptr(), template.raw, 0)) };
        relaxed(make).check()?;
        let raw = raw.get();
        Ok(Exec { raw, of: template.id })
    }
}

impl Drop for Exec {
    #[inline]
    fn drop(&mut self) {
        self.take().end(|exec| exec);
    }
}
