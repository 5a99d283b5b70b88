//! Graphs that are built node by node.
#![allow(unsafe_code, reason = "calls the driver")]

use super::arena::Arena;
use super::capture::Record;
use super::kept::{Kept, User};
use super::node::{Kind, Node, NodeId, NodeKind};
use super::raw::Template;
use super::regions::Regions;
use super::resources::GraphResources;
use super::{Graph, OTHER_GRAPH, refusals};
use crate::brand::{Brand, tied_to_one_thread};
use crate::call::{Answer, answer, name};
use crate::error::{Error, Result};
use crate::memory::access::Access;
use crate::memory::uses::Op;
use crate::memory::{Allocation, Element};
use crate::ops::Slot;
use crate::scope::hold::Key;
use crate::scope::{Holdable, ScopedBuffer};
use crate::stack::PushedGuard;
use ffi::{CUdeviceptr, CUgraph, CUgraphNode};
use static_assertions::assert_not_impl_any;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::{fmt, ptr, slice};

/// A builder that adds nodes to a graph, passed to the closure of [`PushedGuard::build_graph`].
///
/// A node runs after the nodes that you pass as its dependencies, of any kind ([`Node::id`]), and after the
/// earlier nodes whose memory it needs. A node that writes a buffer runs after all nodes that use it, and a
/// node that reads a buffer runs after the nodes that write it (invariant
/// [`nodes-ordered`](crate::soundness#nodes-ordered)). If a node cannot be added, the graph fails. In the place of a node
/// that would do nothing, since it has no elements or an [empty grid](crate::LaunchConfig::is_empty), comes an empty
/// one, which cannot be changed later.
pub struct GraphBuilder<'s, 'env: 's, 'ctx> {
    pub(super) gpu: &'env PushedGuard<'ctx>,
    /// The graph, which lives as long as this, and its number.
    graph: CUgraph,
    id: u64,
    pub(super) nodes: RefCell<Regions>,
    /// The places of nodes that were there before this builder, and are behind all others of that time. Nodes that use memory
    /// come behind them: nothing is known of the uses before.
    earlier: Vec<usize>,
    /// The number of conditions that no node reads yet.
    pub(super) unread: Cell<usize>,
    pub(super) record: Record,
    /// For memory that a node allocates and none frees yet, by its address: the places of all nodes that use
    /// it, the allocating node first. The driver may use the address again after the free.
    allocated: RefCell<HashMap<CUdeviceptr, Vec<usize>>>,
    /// Memory that is lent and is not a buffer of the program.
    pub(super) memory: Arena<Allocation>,
    _s: Brand<'s>,
}
tied_to_one_thread! { ['s, 'env, 'ctx] GraphBuilder<'s, 'env, 'ctx>, 's; }
assert_not_impl_any!(GraphBuilder<'static, 'static, 'static>: Send, Sync);

const INSTANTIATE: &str = name!(cuGraphInstantiateWithFlags);
const NOT_IN_BODY: &str = "the graphs of conditional nodes have kernels, copies, fills, child graphs and conditional \
                           nodes only: add this node before or after the conditional one";

/// # Graphs: node by node
impl<'ctx> PushedGuard<'ctx> {
    /// Builds a graph node by node.
    ///
    /// Returns the graph and the value that the closure returns, such as nodes to change or switch off later.
    /// To make a graph from work that is written for a stream, use [`capture`](Self::capture).
    ///
    /// # Errors
    /// The error of the closure, or of the first node that could not be added;
    /// [`NotCurrent`](Error::NotCurrent); a driver error.
    ///
    /// # Examples
    /// ```
    /// # use cuscope::{Context, ContextFlags, ContextStack, Device, Result};
    /// # fn main() -> Result {
    /// # let context = Context::create(Device::get(0)?, ContextFlags::default())?;
    /// # let mut stack = ContextStack::current_thread()?;
    /// # let gpu = stack.push(&context)?;
    /// let stream = gpu.stream()?;
    /// let (mut x, mut y) = (gpu.alloc::<u32>(64)?, gpu.alloc::<u32>(64)?);
    /// let (mut graph, fill) = gpu.build_graph(|g| {
    ///     let (mut x, mut y) = (g.hold(&mut x), g.hold(&mut y));
    ///     let (mut between, _) = g.alloc::<u32>(&[], 64)?;
    ///     let fill = g.fill(&[], &mut x, 1)?;
    ///     g.copy(&[], &x, &mut between)?; // runs after the fill, which writes `x`
    ///     let copied = g.copy(&[], &between, &mut y)?;
    ///     g.host_function(&[copied.id()], || println!("copied"))?;
    ///     Ok(fill)
    /// })?;
    /// gpu.on(&stream).replay(&graph, (&mut x, &mut y))?;
    /// graph.set_fill(fill, 2_u32)?;
    /// gpu.on(&stream).replay(&graph, (&mut x, &mut y))?;
    /// let mut host = [0; 64];
    /// gpu.on(&stream).download(&y, &mut host)?;
    /// assert_eq!(host, [2; 64]);
    /// # Ok(()) }
    /// ```
    #[doc(alias = "cuGraphCreate")]
    #[doc(alias = "cuGraphInstantiate")]
    pub fn build_graph<'env, R>(
        &'env self,
        f: impl for<'s> FnOnce(&'s GraphBuilder<'s, 'env, 'ctx>) -> Result<R>,
    ) -> Result<(Graph<'ctx>, R)> {
        self.try_build_graph(f)
    }

    /// [`build_graph`](Self::build_graph) for a closure with another error type, as
    /// [`try_scope`](Self::try_scope) is for [`scope`](Self::scope).
    ///
    /// # Errors
    /// The errors of [`build_graph`](Self::build_graph).
    pub fn try_build_graph<'env, R, E: From<Error>>(
        &'env self,
        f: impl for<'s> FnOnce(&'s GraphBuilder<'s, 'env, 'ctx>) -> Result<R, E>,
    ) -> Result<(Graph<'ctx>, R), E> {
        let (Unfinished { template, resources, .. }, value) = self.built(f)?;
        Ok((Graph::ready(self, template, resources)?, value))
    }

    /// Builds a graph again, just as [`recapture`](Self::recapture) captures one again.
    ///
    /// If the nodes are the same, the driver updates the graph in place, and the result is true. It never does
    /// so if a node allocates. [`Graph::why_replaced`] gives the reason if it was not updated.
    ///
    /// # Errors
    /// The errors of [`build_graph`](Self::build_graph) and [`recapture`](Self::recapture).
    #[doc(alias = "cuGraphExecUpdate")]
    pub fn rebuild_graph<'env, R>(
        &'env self,
        graph: &mut Graph<'ctx>,
        f: impl for<'s> FnOnce(&'s GraphBuilder<'s, 'env, 'ctx>) -> Result<R>,
    ) -> Result<(bool, R)> {
        self.try_rebuild_graph(graph, f)
    }

    /// [`rebuild_graph`](Self::rebuild_graph) for a closure with another error type, as
    /// [`try_scope`](Self::try_scope) is for [`scope`](Self::scope).
    ///
    /// # Errors
    /// The errors of [`rebuild_graph`](Self::rebuild_graph).
    pub fn try_rebuild_graph<'env, R, E: From<Error>>(
        &'env self,
        graph: &mut Graph<'ctx>,
        f: impl for<'s> FnOnce(&'s GraphBuilder<'s, 'env, 'ctx>) -> Result<R, E>,
    ) -> Result<(bool, R), E> {
        graph.same_context(self)?;
        let (Unfinished { template, resources, .. }, value) = self.built(f)?;
        Ok((graph.become_new(self, template, resources)?, value))
    }

    /// Builds a graph that is not yet ready to run.
    pub(super) fn built<'env, R, E: From<Error>>(
        &'env self,
        f: impl for<'s> FnOnce(&'s GraphBuilder<'s, 'env, 'ctx>) -> Result<R, E>,
    ) -> Result<(Unfinished, R), E> {
        let template = Template::create()?;
        let nodes = Regions::new(template.raw());
        self.built_on(Unfinished { template, nodes, resources: GraphResources::default() }, f)
    }

    /// Adds to a graph.
    pub(super) fn built_on<'env, R, E: From<Error>>(
        &'env self,
        graph: Unfinished,
        f: impl for<'s> FnOnce(&'s GraphBuilder<'s, 'env, 'ctx>) -> Result<R, E>,
    ) -> Result<(Unfinished, R), E> {
        let Unfinished { mut template, nodes, resources } = graph;
        let (graph, id) = (template.raw(), template.id());
        let (allocated, unread) = Default::default();
        let (earlier, record) = (nodes.last(), Record::of(resources.unseal()));
        let (nodes, memory, _s) = (RefCell::new(nodes), Arena::new(), Brand::new());
        let builder = GraphBuilder {
            gpu: self,
            graph,
            id,
            nodes,
            earlier,
            unread,
            record,
            allocated,
            memory,
            _s,
        };
        let value = f(&builder)?;
        builder.record.failed()?;
        builder.all_read()?;
        builder.free_the_rest()?;
        let resources = builder.record.resources.take().seal();
        let nodes = builder.nodes.replace(Regions::new(graph));
        template.set_nodes(nodes.nodes());
        Ok((Unfinished { template, nodes, resources }, value))
    }
}

/// A graph that is not yet ready to run, and to which nodes can be added.
pub(super) struct Unfinished {
    pub(super) template: Template,
    pub(super) nodes: Regions,
    pub(super) resources: GraphResources,
}

impl<'s, 'ctx> GraphBuilder<'s, '_, 'ctx> {
    /// Lends a buffer, or a part of one that can be written, to the nodes, for reading and writing.
    #[must_use]
    pub fn hold<T: Element, M: Holdable<'ctx, T>>(&'s self, memory: &'s mut M) -> M::Held<'s> {
        memory.hold(Key(()))
    }

    /// Allocates a buffer that belongs to the graph, as [`Capture::scratch`](crate::Capture::scratch) does.
    ///
    /// It is allocated now and lives until the graph is dropped. To allocate in each replay, use
    /// [`alloc`](Self::alloc).
    ///
    /// # Errors
    /// The errors of [`alloc`](PushedGuard::alloc).
    #[doc(alias = "cuMemAlloc")]
    pub fn scratch<T: Element>(&'s self, len: usize) -> Result<ScopedBuffer<'s, T>> {
        let buffer = self.gpu.alloc::<T>(len)?;
        self.record.resources.borrow_mut().scratch(&buffer.inner);
        Ok(ScopedBuffer::new(self.memory.add(buffer.inner), buffer.len))
    }

    /// Returns the place of the next node.
    #[inline]
    pub(super) fn place(&self) -> usize {
        self.nodes.borrow().len()
    }

    /// Returns the next node, as one that uses something.
    #[inline]
    pub(super) fn user(&self) -> User {
        User::Defined(self.place())
    }

    /// Keeps what the next node uses besides memory.
    #[inline]
    pub(super) fn keep(&self, kept: impl IntoIterator<Item = Kept>) {
        self.record.resources.borrow_mut().keep(self.user(), kept);
    }

    /// Notes that the next node uses memory.
    #[inline]
    pub(super) fn names(&self, accesses: &[Access<'_>]) {
        let (mut resources, mut allocated) =
            (self.record.resources.borrow_mut(), self.allocated.borrow_mut());
        for access in accesses {
            resources.uses_memory(self.user(), access);
            let address = access.memory().map(Allocation::address);
            if let Some(users) = address.and_then(|address| allocated.get_mut(&address)) {
                users.push(self.place());
            }
        }
    }

    /// Notes memory that the last node allocates.
    #[inline]
    pub(super) fn allocates(&self, memory: &Allocation) {
        self.record.resources.borrow_mut().allocated(memory);
        self.allocated.borrow_mut().insert(memory.address(), vec![self.place() - 1]);
    }

    /// Returns the dependencies of the next node: those of the program, and those that its uses of memory
    /// require. Notes these uses.
    #[inline]
    pub(super) fn behind(
        &self,
        call: &'static str,
        after: &[NodeId],
        accesses: &[Access<'_>],
    ) -> Result<Vec<CUgraphNode>> {
        self.behind_all(call, after, Vec::new(), accesses)
    }

    /// Returns the dependencies, and nodes at more places.
    #[inline]
    pub(super) fn behind_all(
        &self,
        call: &'static str,
        after: &[NodeId],
        before: Vec<usize>,
        accesses: &[Access<'_>],
    ) -> Result<Vec<CUgraphNode>> {
        let places = self.places_behind(call, after, before, accesses)?;
        Ok(self.nodes.borrow().at(&places))
    }

    /// Returns the places of the dependencies, and of nodes at more places.
    #[inline]
    pub(super) fn places_behind(
        &self,
        call: &'static str,
        after: &[NodeId],
        mut before: Vec<usize>,
        accesses: &[Access<'_>],
    ) -> Result<Vec<usize>> {
        // A node that could not be added has no place.
        self.record.failed()?;
        if after.iter().any(|node| node.graph != self.id) {
            return Err(refusals::not_made(call, OTHER_GRAPH));
        }
        before.extend(after.iter().map(|node| node.place));
        let op = Op::node(self.place());
        for access in accesses {
            let known = before.len();
            for (tracked, writes) in Access::tracked(slice::from_ref(access)) {
                tracked.each_node_before(writes, |place| before.push(place));
            }
            if before.len() == known && access.memory().is_some() {
                before.extend(&self.earlier);
            }
        }
        // Only now: two uses by one node do not depend on each other.
        Access::tracked(accesses).for_each(|(tracked, writes)| tracked.note_node(&op, writes));
        self.nodes.borrow_mut().order(before)
    }

    /// Adds a node after others.
    pub(super) fn add<K: Kind>(
        &self,
        before: &[CUgraphNode],
        make: impl FnOnce(Slot) -> Answer,
    ) -> Result<Node<K>> {
        self.add_of(K::KIND, before, make)
    }

    /// Adds an empty node after others, in the place of one that would do nothing.
    #[inline]
    pub(super) fn add_empty<K: Kind>(&self, before: &[CUgraphNode]) -> Result<Node<K>> {
        self.add_of(NodeKind::Empty, before, |Slot { node, graph, before, count }| {
            // SAFETY: the graph is alive as long as its builder, and the nodes before are of it, each once. The new one
            // is written to a place that is valid for it. No context need be current, and captures do not refuse it
            // (F217).
            unsafe { answer!(cuGraphAddEmptyNode(node, graph, before, count)) }
        })
    }

    fn add_of<K: Kind>(
        &self,
        kind: NodeKind,
        before: &[CUgraphNode],
        make: impl FnOnce(Slot) -> Answer,
    ) -> Result<Node<K>> {
        let (graph, inside) = {
            let nodes = self.nodes.borrow();
            (nodes.graph(), nodes.is_inside())
        };
        if inside && !kind.may_be_in_body() {
            return Err(Error::InvalidArgument { call: INSTANTIATE, reason: NOT_IN_BODY.into() });
        }
        let mut node = ptr::null_mut();
        let slot =
            Slot { node: &raw mut node, graph, before: before.as_ptr(), count: before.len() };
        make(slot).check()?;
        let place = self.place();
        self.nodes.borrow_mut().push(node);
        Ok(Node::new(NodeId { graph: self.id, place, kind }))
    }

    /// Returns the places of the nodes that use memory, which counts as freed from here on, or `None` if no
    /// node of this graph allocates it.
    #[inline]
    pub(super) fn users(&self, address: CUdeviceptr) -> Option<Vec<usize>> {
        self.allocated.borrow_mut().remove(&address)
    }

    /// Adds the frees that the program omitted, in the order of the allocations.
    #[inline]
    fn free_the_rest(&self) -> Result {
        let place_of =
            |(&address, users): (&CUdeviceptr, &Vec<usize>)| (users.first().copied(), address);
        let mut left: Vec<_> = self.allocated.borrow().iter().map(place_of).collect();
        left.sort_unstable();
        left.iter().try_for_each(|&(_, address)| self.free_behind(&[], address).map(drop))
    }
}

impl fmt::Debug for GraphBuilder<'_, '_, '_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (nodes, context) = (self.place(), self.gpu.context());
        write!(f, "GraphBuilder({:p} of {nodes} nodes, {context:?})", self.graph)
    }
}
