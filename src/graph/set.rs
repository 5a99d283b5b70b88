//! Changes to single nodes: of graphs that can run, from the next replay on, and of definitions.
//!
//! A [`Change`] has the checks and the driver calls. Both kinds of graphs forward to it.
#![allow(unsafe_code, reason = "calls the driver")]

use super::change::{
    CHILD, COPY, Calls, Change, FILL, HOST, KERNEL, RECORD, SIGNALS, VALUES, WAIT, WAITS,
    does_something,
};
use super::refusals;
use super::{
    ChildGraphNode, EventRecordNode, EventWaitNode, Graph, GraphBuffers, GraphDefinition, HostNode,
    KernelNode, MemcpyNode, MemsetNode, NodeId, SemaphoreSignalNode, SemaphoreWaitNode,
    ValueOperationsNode,
};
use crate::args::KernelArgs;
use crate::call::{answer, name};
use crate::error::Result;
use crate::event::Event;
use crate::external::ExternalSemaphore;
use crate::kernel::{ArgumentsOf, Launchable, SafeKernel};
use crate::launch::LaunchConfig;
use crate::memory::{DeviceMemory, DeviceMemoryMut, Element, Fillable, InScope};
use crate::ops::{Copy, Launch, NodeToSet};
use crate::stack::PushedGuard;
use crate::stream::value::ValueOperation;
use ffi::{CUgraphExec, CUgraphNode};

impl Graph<'_> {
    /// Prepares the change of a node. Waits for the ordered streams that may still run the graph.
    #[inline]
    fn change(&mut self, calls: Calls, node: NodeId) -> Result<Change<'_>> {
        let call = calls.ready;
        does_something(call, node)?;
        self.inner.in_flight.settle_exclusive()?;
        let (exec, raw) = self.node_of(call, node)?;
        let to = NodeToSet { node: raw, exec: Some(exec) };
        let inner = &mut self.inner;
        let (template, resources) = (&mut inner.template, &mut inner.resources);
        Ok(Change { call, to, place: node.place, template, resources, context: &inner.context })
    }

    /// Returns the handles of the executable graph and of a node in it. The calls for its errors make it look too large to
    /// become a part of its callers, which it does in a few instructions.
    #[inline(always)]
    fn node_of(&self, call: &'static str, node: NodeId) -> Result<(CUgraphExec, CUgraphNode)> {
        let raw = self.inner.template.node(call, node)?;
        if !self.inner.exec.is_of(&self.inner.template) {
            let reason = "the graph was updated in place, and the driver no longer accepts its \
                          nodes: capture or build a new graph";
            return Err(refusals::not_made(call, reason));
        }
        Ok((self.exec(call)?, raw))
    }

    /// Switches a node off, or on again.
    ///
    /// A kernel, a copy or a fill that is off does nothing. Nodes after it still run after the nodes before it.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::Error::InvalidArgument) for a node of another graph; `CUDA_ERROR_INVALID_VALUE` for
    /// a node of another kind ([F216](crate::driver_facts#F216)).
    #[doc(alias = "cuGraphNodeSetEnabled")]
    pub fn set_enabled(&mut self, node: impl Into<NodeId>, enabled: bool) -> Result {
        self.inner.in_flight.settle_exclusive()?;
        let id = node.into();
        // All that a refusal needs. The whole id would be stored for it by each call.
        let kind = id.kind();
        let (exec, node) = self.node_of(name!(cuGraphNodeSetEnabled), id)?;
        // SAFETY: both are alive, and nothing runs the graph, as it is borrowed exclusively; no context need
        // be current, and captures do not refuse it (F217).
        unsafe { answer!(cuGraphNodeSetEnabled(exec, node, enabled.into())) }
            .explain(move |_| refusals::switched(kind))
    }

    /// Returns whether a kernel, a copy or a fill is on.
    ///
    /// # Errors
    /// The errors of [`set_enabled`](Self::set_enabled).
    #[doc(alias = "cuGraphNodeGetEnabled")]
    pub fn is_enabled(&self, node: impl Into<NodeId>) -> Result<bool> {
        let id = node.into();
        let (exec, node) = self.node_of(name!(cuGraphNodeGetEnabled), id)?;
        let mut enabled = 0;
        // SAFETY: both are alive; writes one number to `enabled`, which is valid for it.
        unsafe { answer!(cuGraphNodeGetEnabled(exec, node, &raw mut enabled)) }
            .explain(|_| refusals::switched(id.kind()))?;
        Ok(enabled != 0)
    }
}

/// # Changes of nodes
///
/// They apply from the next replay on. [`PushedGuard::set_kernel_unchecked`] changes a kernel. A node that cannot be
/// changed as asked stays as it was.
///
/// The graph keeps what a node uses, such as its function, event or module, until the next change of the node. It also keeps
/// what the node used when the graph was captured or built, because [copies](Self::try_clone) use that. Nothing more is kept,
/// except after a fault, and after a change that failed for a reason that does not tell whether the node has changed.
impl<'ctx> Graph<'ctx> {
    /// Changes the value of a fill. `T` must have the size of the fill's elements; zeroing is a fill of bytes.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::Error::InvalidArgument) for a node of another graph, for elements of another size, and for a
    /// fill of no elements.
    #[doc(alias = "cuGraphExecMemsetNodeSetParams")]
    pub fn set_fill<T: Fillable>(&mut self, node: MemsetNode, value: T) -> Result {
        self.change(FILL, node.id())?.fill(value)
    }

    /// Changes a copy of a graph that was built, to a copy between other parts of the same buffers.
    ///
    /// It may only use memory that the node already uses, or parts of it, because the graph's edges were derived from
    /// that. The memory is lent for the call. Replays pass the same buffers as before.
    ///
    /// # Errors
    /// [`LengthMismatch`](crate::Error::LengthMismatch); [`ExtentMismatch`](crate::Error::ExtentMismatch);
    /// [`OtherContext`](crate::Error::OtherContext); [`InvalidArgument`](crate::Error::InvalidArgument) for a node of another graph or of a
    /// graph that was captured ([capture it again](PushedGuard::recapture)), for memory that the node does not use or only
    /// reads, and for no elements; `CUDA_ERROR_INVALID_VALUE` for a copy of rows in the place of another shape
    /// ([F339](crate::driver_facts#F339)).
    #[doc(alias = "cuGraphExecMemcpyNodeSetParams")]
    #[inline]
    pub fn set_copy<T: Element>(
        &mut self,
        node: MemcpyNode,
        from: &impl DeviceMemory<'ctx, T>,
        to: &mut impl DeviceMemoryMut<'ctx, T>,
    ) -> Result {
        let copy = Copy::new(from.access(false), to.access(true));
        self.change(COPY, node.id())?.copy(&copy)
    }

    /// Changes a child graph, to another graph with the same nodes and edges. Its nodes are copied as they were captured or
    /// built, without later changes, and the node keeps no more of the graph than what these use.
    ///
    /// Pass every buffer that the other graph uses, as for a replay. They are buffers that the node already uses, because the
    /// graph's edges were derived from these.
    ///
    /// # Errors
    /// [`GraphBuffers`](crate::Error::GraphBuffers) if these are not the other graph's buffers;
    /// [`OtherContext`](crate::Error::OtherContext); [`InvalidArgument`](crate::Error::InvalidArgument) for a node of another graph or of a
    /// graph that was captured, for memory that the node does not use or only reads, and for a graph that
    /// [cannot be added](super::GraphBuilder::child); `CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE` for a graph with other nodes or
    /// edges: the node then stays as it was ([F573](crate::driver_facts#F573)).
    ///
    /// # Examples
    /// ```
    /// # use cuscope::{Context, ContextStack, Device};
    /// # fn main() -> cuscope::Result {
    /// # let context = Context::primary(Device::get(0)?)?;
    /// # let mut stack = ContextStack::current_thread()?;
    /// # let gpu = stack.push(&context)?;
    /// # let stream = gpu.stream()?;
    /// let mut x = gpu.alloc::<u32>(4)?;
    /// let (ones, _) = gpu.build_graph(|g| g.fill(&[], &mut g.hold(&mut x), 1))?;
    /// let (twos, _) = gpu.build_graph(|g| g.fill(&[], &mut g.hold(&mut x), 2))?;
    /// let (mut graph, child) = gpu.build_graph(|g| g.child(&[], &ones, &mut g.hold(&mut x)))?;
    /// graph.set_child(child, &twos, &mut x)?;
    /// gpu.on(&stream).replay(&graph, &mut x)?;
    /// assert_eq!(gpu.on(&stream).to_vec(&x)?, [2; 4]);
    /// # Ok(()) }
    /// ```
    #[doc(alias = "cuGraphExecChildGraphNodeSetParams")]
    pub fn set_child(
        &mut self,
        node: ChildGraphNode,
        other: &Graph<'ctx>,
        buffers: impl GraphBuffers<'ctx>,
    ) -> Result {
        self.change(CHILD, node.id())?.child(other, buffers)
    }

    /// Changes the function of a host node. Drops the function that an earlier change gave it.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::Error::InvalidArgument) for a node of another graph.
    #[doc(alias = "cuGraphExecHostNodeSetParams")]
    #[inline]
    pub fn set_host_function(
        &mut self,
        node: HostNode,
        function: impl FnMut() + Send + 'static,
    ) -> Result {
        self.change(HOST, node.id())?.host_function(function)
    }

    /// Changes the event that a node records.
    ///
    /// # Errors
    /// [`OtherContext`](crate::Error::OtherContext); [`InvalidArgument`](crate::Error::InvalidArgument) for a node of another graph.
    #[doc(alias = "cuGraphExecEventRecordNodeSetEvent")]
    #[inline]
    pub fn set_event_record(&mut self, node: EventRecordNode, event: &Event<'ctx>) -> Result {
        self.change(RECORD, node.id())?.record(event)
    }

    /// Changes the event that a node waits for.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::Error::InvalidArgument) for a node of another graph.
    #[doc(alias = "cuGraphExecEventWaitNodeSetEvent")]
    #[inline]
    pub fn set_event_wait(&mut self, node: EventWaitNode, event: &Event<'_>) -> Result {
        self.change(WAIT, node.id())?.wait(event)
    }

    /// Changes waits for numbers and writes of them, to other numbers, values or conditions: as many operations, of the
    /// same kinds in the same order.
    ///
    /// # Errors
    /// [`OtherContext`](crate::Error::OtherContext); [`InvalidArgument`](crate::Error::InvalidArgument) for a node of another graph,
    /// for one of no operations, and for more than 255; `CUDA_ERROR_INVALID_VALUE` for operations of another number or other kinds
    /// ([F552](crate::driver_facts#F552)).
    #[doc(alias = "cuGraphExecBatchMemOpNodeSetParams")]
    #[inline]
    pub fn set_value_operations(
        &mut self,
        node: ValueOperationsNode,
        operations: &[ValueOperation<'_>],
    ) -> Result {
        self.change(VALUES, node.id())?.value_operations(operations)
    }

    /// Changes the semaphores that a node signals, and the values.
    ///
    /// # Errors
    /// [`OtherContext`](crate::Error::OtherContext); [`InvalidArgument`](crate::Error::InvalidArgument) for a node of another graph, and
    /// for a node of no semaphores; `CUDA_ERROR_INVALID_VALUE` for another number of semaphores than the node has.
    #[doc(alias = "cuGraphExecExternalSemaphoresSignalNodeSetParams")]
    #[inline]
    pub fn set_signals(
        &mut self,
        node: SemaphoreSignalNode,
        signals: &[(&ExternalSemaphore<'ctx>, u64)],
    ) -> Result {
        self.change(SIGNALS, node.id())?.signals(signals)
    }

    /// Changes the semaphores that a node waits for, and the values.
    ///
    /// # Errors
    /// The errors of [`set_signals`](Self::set_signals).
    #[doc(alias = "cuGraphExecExternalSemaphoresWaitNodeSetParams")]
    #[inline]
    pub fn set_waits(
        &mut self,
        node: SemaphoreWaitNode,
        waits: &[(&ExternalSemaphore<'ctx>, u64)],
    ) -> Result {
        self.change(WAITS, node.id())?.waits(waits)
    }
}

/// # Changes of nodes
///
/// They apply to the graphs that are made of the definition afterwards. A node can be changed in the ways in which that of a
/// [`Graph`] can, and in more: there may be another number of operations on numbers ([F551](crate::driver_facts#F551)), and a
/// copy may have another shape ([F338](crate::driver_facts#F338)). A node that cannot be changed as asked stays as it was.
/// Switch nodes off in the graphs: a definition has no such state. The definition keeps what a node uses now, and its graphs
/// keep what they use.
impl<'ctx> GraphDefinition<'ctx> {
    /// Prepares the change of a node.
    #[inline]
    fn change(&mut self, calls: Calls, node: NodeId) -> Result<Change<'_>> {
        let call = calls.defined;
        does_something(call, node)?;
        let inner = &mut self.inner;
        let to = NodeToSet { node: inner.template.node(call, node)?, exec: None };
        let (template, resources) = (&mut inner.template, &mut inner.resources);
        Ok(Change { call, to, place: node.place, template, resources, context: &inner.context })
    }

    /// Changes the value of a fill: [`Graph::set_fill`].
    ///
    /// # Errors
    /// The errors of [`Graph::set_fill`].
    #[doc(alias = "cuGraphMemsetNodeSetParams")]
    #[inline]
    pub fn set_fill<T: Fillable>(&mut self, node: MemsetNode, value: T) -> Result {
        self.change(FILL, node.id())?.fill(value)
    }

    /// Changes a copy: [`Graph::set_copy`].
    ///
    /// # Errors
    /// The errors of [`Graph::set_copy`].
    #[doc(alias = "cuGraphMemcpyNodeSetParams")]
    #[inline]
    pub fn set_copy<T: Element>(
        &mut self,
        node: MemcpyNode,
        from: &impl DeviceMemory<'ctx, T>,
        to: &mut impl DeviceMemoryMut<'ctx, T>,
    ) -> Result {
        let copy = Copy::new(from.access(false), to.access(true));
        self.change(COPY, node.id())?.copy(&copy)
    }

    /// Changes the launch of a kernel to one that is safe: [`PushedGuard::set_kernel`].
    ///
    /// # Errors
    /// The errors of [`PushedGuard::set_kernel`].
    #[doc(alias = "cuGraphKernelNodeSetParams")]
    #[inline]
    pub fn set_kernel<
        'a,
        K: SafeKernel<'ctx>,
        A: KernelArgs<'ctx, InScope<'a>> + ArgumentsOf<K::Signature>,
    >(
        &mut self,
        gpu: &PushedGuard<'ctx>,
        node: KernelNode,
        kernel: &K,
        config: LaunchConfig,
        args: A,
    ) -> Result {
        self.change(KERNEL, node.id())?.safe_kernel(gpu, kernel, config, args)
    }

    /// Changes the launch of a kernel to one that nobody vouches for yet: [`PushedGuard::set_kernel_unchecked`].
    ///
    /// # Errors
    /// The errors of [`PushedGuard::set_kernel_unchecked`].
    ///
    /// # Safety
    /// 1. to 3. of [`SyncStream::launch_unchecked`](crate::SyncStream::launch_unchecked), for each replay of the graphs
    ///    that are made afterwards.
    #[doc(alias = "cuGraphKernelNodeSetParams")]
    #[inline]
    pub unsafe fn set_kernel_unchecked<
        'a,
        K: Launchable<'ctx>,
        A: KernelArgs<'ctx, InScope<'a>> + ArgumentsOf<K::Signature>,
    >(
        &mut self,
        gpu: &PushedGuard<'ctx>,
        node: KernelNode,
        kernel: &K,
        config: LaunchConfig,
        args: A,
    ) -> Result {
        let change = self.change(KERNEL, node.id())?;
        // SAFETY: the caller's obligations 1 to 3.
        change.kernel(gpu, &unsafe { Launch::new(kernel.inner(), config, args) })
    }

    /// Changes a child graph: [`Graph::set_child`]. In a definition the other graph may have any nodes.
    ///
    /// # Errors
    /// The errors of [`Graph::set_child`]; [`NeedsDriver`](crate::Error::NeedsDriver) before CUDA 12.2;
    /// `CUDA_ERROR_NOT_SUPPORTED` if the definition has nodes that allocate ([F573](crate::driver_facts#F573)).
    #[doc(alias = "cuGraphNodeSetParams")]
    pub fn set_child(
        &mut self,
        node: ChildGraphNode,
        other: &Graph<'ctx>,
        buffers: impl GraphBuffers<'ctx>,
    ) -> Result {
        self.change(CHILD, node.id())?.child(other, buffers)
    }

    /// Changes the function of a host node: [`Graph::set_host_function`].
    ///
    /// # Errors
    /// The errors of [`Graph::set_host_function`].
    #[doc(alias = "cuGraphHostNodeSetParams")]
    #[inline]
    pub fn set_host_function(
        &mut self,
        node: HostNode,
        function: impl FnMut() + Send + 'static,
    ) -> Result {
        self.change(HOST, node.id())?.host_function(function)
    }

    /// Changes the event that a node records: [`Graph::set_event_record`].
    ///
    /// # Errors
    /// The errors of [`Graph::set_event_record`].
    #[doc(alias = "cuGraphEventRecordNodeSetEvent")]
    #[inline]
    pub fn set_event_record(&mut self, node: EventRecordNode, event: &Event<'ctx>) -> Result {
        self.change(RECORD, node.id())?.record(event)
    }

    /// Changes the event that a node waits for: [`Graph::set_event_wait`].
    ///
    /// # Errors
    /// The errors of [`Graph::set_event_wait`].
    #[doc(alias = "cuGraphEventWaitNodeSetEvent")]
    #[inline]
    pub fn set_event_wait(&mut self, node: EventWaitNode, event: &Event<'_>) -> Result {
        self.change(WAIT, node.id())?.wait(event)
    }

    /// Changes waits for numbers and writes of them, also to more, to fewer or none, and to other kinds
    /// ([F551](crate::driver_facts#F551)): [`Graph::set_value_operations`].
    ///
    /// # Errors
    /// [`OtherContext`](crate::Error::OtherContext); [`InvalidArgument`](crate::Error::InvalidArgument) for a node of another graph,
    /// for one that was added for no operations, and for more than 255 operations; a driver error.
    #[doc(alias = "cuGraphBatchMemOpNodeSetParams")]
    #[inline]
    pub fn set_value_operations(
        &mut self,
        node: ValueOperationsNode,
        operations: &[ValueOperation<'_>],
    ) -> Result {
        self.change(VALUES, node.id())?.value_operations(operations)
    }

    /// Changes the semaphores that a node signals, and the values: [`Graph::set_signals`].
    ///
    /// # Errors
    /// The errors of [`Graph::set_signals`].
    #[doc(alias = "cuGraphExternalSemaphoresSignalNodeSetParams")]
    #[inline]
    pub fn set_signals(
        &mut self,
        node: SemaphoreSignalNode,
        signals: &[(&ExternalSemaphore<'ctx>, u64)],
    ) -> Result {
        self.change(SIGNALS, node.id())?.signals(signals)
    }

    /// Changes the semaphores that a node waits for, and the values: [`Graph::set_waits`].
    ///
    /// # Errors
    /// The errors of [`set_signals`](Self::set_signals).
    #[doc(alias = "cuGraphExternalSemaphoresWaitNodeSetParams")]
    #[inline]
    pub fn set_waits(
        &mut self,
        node: SemaphoreWaitNode,
        waits: &[(&ExternalSemaphore<'ctx>, u64)],
    ) -> Result {
        self.change(WAITS, node.id())?.waits(waits)
    }
}

/// # Graphs: kernel nodes
impl<'ctx> PushedGuard<'ctx> {
    /// Changes the launch of a kernel node in a graph that was built to one that is safe, such as that of a
    /// [`TrustedKernel`](crate::TrustedKernel). See [`set_kernel_unchecked`](Self::set_kernel_unchecked).
    ///
    /// # Errors
    /// [`LaunchRefused`](crate::Error::LaunchRefused) by the check of a `TrustedKernel`; [`InvalidArgument`](crate::Error::InvalidArgument) for a node
    /// that was added with clusters or as a cooperative launch, which it keeps and no check would see; the errors of
    /// [`set_kernel_unchecked`](Self::set_kernel_unchecked).
    #[doc(alias = "cuGraphExecKernelNodeSetParams")]
    pub fn set_kernel<
        'a,
        K: SafeKernel<'ctx>,
        A: KernelArgs<'ctx, InScope<'a>> + ArgumentsOf<K::Signature>,
    >(
        &self,
        graph: &mut Graph<'ctx>,
        node: KernelNode,
        kernel: &K,
        config: LaunchConfig,
        args: A,
    ) -> Result {
        graph.change(KERNEL, node.id())?.safe_kernel(self, kernel, config, args)
    }

    /// Changes the launch of a kernel node in a graph that was built to one that nobody vouches for yet. It keeps its
    /// attributes ([F555](crate::driver_facts#F555)).
    ///
    /// Arguments may only use memory that the node already uses, or parts of it, with the same or weaker
    /// access, because the graph's edges were derived from it. The arguments are lent for the call. Replays
    /// pass the same buffers as before.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::Error::InvalidArgument) for a node of another graph or of a graph that was captured
    /// ([capture it again](Self::recapture)), for memory that the node does not use or only reads, and for a condition;
    /// [`OtherContext`](crate::Error::OtherContext); [`NotCurrent`](crate::Error::NotCurrent); `CUDA_ERROR_INVALID_VALUE` for
    /// invalid extents; `CUDA_ERROR_INVALID_CLUSTER_SIZE` for a grid that does not consist of the node's clusters. The node then stays as it was ([F218](crate::driver_facts#F218)).
    ///
    /// # Safety
    /// 1. to 3. of [`SyncStream::launch_unchecked`](crate::SyncStream::launch_unchecked), for each replay of the graph.
    #[doc(alias = "cuGraphExecKernelNodeSetParams")]
    pub unsafe fn set_kernel_unchecked<
        'a,
        K: Launchable<'ctx>,
        A: KernelArgs<'ctx, InScope<'a>> + ArgumentsOf<K::Signature>,
    >(
        &self,
        graph: &mut Graph<'ctx>,
        node: KernelNode,
        kernel: &K,
        config: LaunchConfig,
        args: A,
    ) -> Result {
        let change = graph.change(KERNEL, node.id())?;
        // SAFETY: the caller's obligations 1 to 3.
        change.kernel(self, &unsafe { Launch::new(kernel.inner(), config, args) })
    }
}
