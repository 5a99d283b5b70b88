//! Changes to single nodes: of graphs that can run, from the next replay on, and of definitions.
//!
//! A [`Change`] has the checks and the driver calls. Both kinds of graphs forward to it.
#![allow(unsafe_code, reason = "calls the driver")]

use super::kept::{Kept, New, User};
use super::raw::{Template, node_params};
use super::refusals;
use super::resources::GraphResources;
use super::{
    ChildGraphNode, EventRecordNode, EventWaitNode, Graph, GraphBuffers, GraphDefinition, HostNode,
    KernelNode, MemcpyNode, MemsetNode, NodeId, NodeKind, SemaphoreSignalNode, SemaphoreWaitNode,
    ValueOperationsNode, host, no_host_memory,
};
use crate::args::KernelArgs;
use crate::args::sealed::Operands;
use crate::call::{Answer, answer, name, same_context};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::external::{ExternalSemaphore, Signals, Waits};
use crate::kernel::{ArgumentsOf, Launchable, SafeKernel};
use crate::launch::LaunchConfig;
use crate::memory::access::Access;
use crate::memory::{DeviceMemory, DeviceMemoryMut, Element, Fillable, InScope};
use crate::ops::{Copy, Launch, NodeOperation, NodeToSet, Operation, pattern, with_reason};
use crate::stack::PushedGuard;
use crate::stream::value::{self, ValueOperation};
use ffi::{CUgraphExec, CUgraphNode};

/// The driver functions of a change: in a graph that can run, and in a definition.
#[derive(Clone, Copy)]
struct Calls {
    ready: &'static str,
    defined: &'static str,
}

/// Makes the names of the two functions of a change.
macro_rules! calls {
    ($name:ident: $ready:ident, $defined:ident) => {
        const $name: Calls = Calls { ready: name!($ready), defined: name!($defined) };
    };
}
calls!(FILL: cuGraphExecMemsetNodeSetParams, cuGraphMemsetNodeSetParams);
calls!(COPY: cuGraphExecMemcpyNodeSetParams, cuGraphMemcpyNodeSetParams);
calls!(KERNEL: cuGraphExecKernelNodeSetParams_v2, cuGraphKernelNodeSetParams_v2);
calls!(CHILD: cuGraphExecChildGraphNodeSetParams, cuGraphNodeSetParams);
calls!(HOST: cuGraphExecHostNodeSetParams, cuGraphHostNodeSetParams);
calls!(RECORD: cuGraphExecEventRecordNodeSetEvent, cuGraphEventRecordNodeSetEvent);
calls!(WAIT: cuGraphExecEventWaitNodeSetEvent, cuGraphEventWaitNodeSetEvent);
calls!(VALUES: cuGraphExecBatchMemOpNodeSetParams, cuGraphBatchMemOpNodeSetParams);
calls!(SIGNALS: cuGraphExecExternalSemaphoresSignalNodeSetParams, cuGraphExternalSemaphoresSignalNodeSetParams);
calls!(WAITS: cuGraphExecExternalSemaphoresWaitNodeSetParams, cuGraphExternalSemaphoresWaitNodeSetParams);

/// A node that is to be changed, of a graph or a definition that is borrowed exclusively. Nothing runs it: a definition never
/// runs, and replays of a graph are waited for.
struct Change<'g> {
    call: &'static str,
    to: NodeToSet,
    place: usize,
    template: &'g mut Template,
    resources: &'g mut GraphResources,
    context: &'g Context,
}

// What all of them ask the driver for, in the SAFETY comments 1.: the graph and the node are alive, and nothing runs the
// graph. What the node then uses is kept (`graph-owns`), and ordered as what it used before (`nodes-ordered`). No context
// need be current but where it says so, and captures do not refuse it (F217, F570).
impl Change<'_> {
    #[inline]
    fn fill<T: Fillable>(self, value: T) -> Result {
        let NodeToSet { node, exec } = self.to;
        let mut params = self.template.fill(self.place, node)?;
        if params.elementSize as usize != size_of::<T>() {
            let reason = format!(
                "the node fills elements of another size, {} bytes, and the value has {}: pass a value of that size",
                params.elementSize,
                size_of::<T>()
            );
            return Err(Error::InvalidArgument { call: self.call, reason: reason.into() });
        }
        params.value = pattern(&value);
        let (params, context) = (&raw const params, self.context.raw());
        match exec {
            // SAFETY: 1. as above. 2. The fill is the node's own except for the value, which is one of its elements.
            Some(exec) => unsafe {
                answer!(cuGraphExecMemsetNodeSetParams(exec, node, params, context))
            },
            // SAFETY: as above.
            None => unsafe { answer!(cuGraphMemsetNodeSetParams(node, params)) },
        }
        .result()
    }

    /// Checks that the node is ordered for the memory of an operation. Returns whether objects are among it.
    fn orders(&self, operation: &impl Operation) -> Result<bool> {
        no_host_memory(self.call, operation)?;
        operation.uses().with_accesses(|accesses| {
            self.orders_accesses(accesses)?;
            Ok(accesses.iter().any(|access| access.object().is_some()))
        })
    }

    /// Returns the objects among the memory of an operation.
    #[cold]
    fn objects(operation: &impl Operation) -> Vec<Kept> {
        operation.uses().with_accesses(|accesses| Kept::objects(accesses).collect())
    }

    /// Checks the same for accesses.
    #[inline]
    fn orders_accesses(&self, accesses: &[Access<'_>]) -> Result {
        let allowed = self.resources.may_use(self.place, accesses);
        allowed.map_err(|reason| Error::InvalidArgument { call: self.call, reason: reason.into() })
    }

    /// Keeps what the node uses after the change, in the place of what it used before.
    #[inline]
    fn done(self, new: New, answer: Answer) -> Result {
        let user = self.user();
        self.resources.kept_mut().changed(user, new, answer)
    }

    /// Returns the node, as one that uses something.
    #[inline]
    fn user(&self) -> User {
        match self.to.exec {
            Some(_) => User::Changed(self.place),
            None => User::Defined(self.place),
        }
    }

    #[inline]
    fn copy(self, copy: &Copy<'_>) -> Result {
        copy.check(self.call)?;
        let key = self.context.key();
        same_context(self.call, copy.uses().all_of(key))?;
        if copy.is_empty() {
            let reason =
                "a node copies at least one element: switch it off, or build the graph again";
            return Err(Error::InvalidArgument { call: self.call, reason: reason.into() });
        }
        let has_objects = self.orders(copy)?;
        let new = New::of(if has_objects { Self::objects(copy) } else { Vec::new() });
        // SAFETY: 1. as above; the copy was checked, and the context is alive. 2. The memory is kept, named by each
        // replay, and ordered within the graph, as the node used it before.
        let answer = unsafe { copy.set(self.to, self.context.raw()) };
        self.done(new, answer).map_err(|error| error.because(refusals::copy))
    }

    /// Creates and sets a launch that is safe.
    fn safe_kernel<'ctx, K: SafeKernel<'ctx>, A: Operands + ArgumentsOf<K::Signature>>(
        self,
        gpu: &PushedGuard<'ctx>,
        kernel: &K,
        config: LaunchConfig,
        args: A,
    ) -> Result {
        if self.resources.is_shaped(self.place) {
            let reason = "the node keeps the clusters, or the cooperative launch, that it was added with, and no check sees \
                          them: call `set_kernel_unchecked`, or build the graph again";
            return Err(Error::InvalidArgument { call: self.call, reason: reason.into() });
        }
        let watch = self.resources.watch().clone();
        let launch = kernel.launch(config, args, &*watch, Ok)?;
        self.kernel(gpu, &launch)
    }

    fn kernel<A: Operands>(
        self,
        gpu: &PushedGuard<'_>,
        launch: &Launch<'_, LaunchConfig, A>,
    ) -> Result {
        let (function, own) = (launch.function(), gpu.context());
        launch.check(self.call)?;
        let same = launch.node_is_of(own.key()) && launch.uses().all_of(own.key());
        same_context(self.call, own == self.context && same)?;
        let has_objects = self.orders(launch)?;
        gpu.enter(self.call)?;
        // SAFETY: 1. as above; the context of the function, which is kept, is current. 2. The memory is kept, named by
        // each replay, and ordered within the graph, as the node used it before.
        let answer = unsafe { launch.set(self.to) };
        let owner = function.owner();
        let set = if !has_objects && self.resources.kept().is_only(self.user(), owner) {
            answer.result()
        } else {
            let objects = if has_objects { Self::objects(launch) } else { Vec::new() };
            let new = New::of(objects.into_iter().chain([Kept::Code(owner.clone())]));
            self.done(new, answer)
        };
        set.map_err(|error| with_reason(launch, error, own.key()))
    }

    fn child<'ctx, L>(self, other: &Graph<'ctx>, buffers: impl GraphBuffers<'ctx, L>) -> Result {
        let NodeToSet { node, exec } = self.to;
        self.orders_accesses(&other.uses_as_child(self.call, self.context.key(), &buffers)?)?;
        let new = other.inner.resources.kept().of_child();
        self.resources.watch().inherit(other.inner.resources.watch());
        let graph = other.inner.template.raw();
        let Some(exec) = exec else {
            let mut params = node_params(ffi::CU_GRAPH_NODE_TYPE_GRAPH);
            params.anonymous.graph.graph = graph;
            let set = ffi::cuGraphNodeSetParams()?;
            // SAFETY: 1. as above. 2. The other graph is alive, and its nodes are copied (F573).
            let answer = Answer::new(self.call, unsafe { set(node, &raw mut params) });
            return self.done(new, answer).map_err(|error| error.because(refusals::child));
        };
        // SAFETY: 1. as above. 2. The other graph is alive, and its nodes are copied. If it has other nodes, the node stays as
        // it was (F573).
        let answer = unsafe { answer!(cuGraphExecChildGraphNodeSetParams(exec, node, graph)) };
        self.done(new, answer).map_err(|error| error.because(refusals::child))
    }

    fn host_function(self, function: impl FnMut() + Send + 'static) -> Result {
        let NodeToSet { node, exec } = self.to;
        let (call, params) = host::node(function);
        let new = New::function(call);
        let params = &raw const params;
        let answer = match exec {
            // SAFETY: 1. as above. 2. The function may be called with this argument at any time and on any thread for as
            // long as the driver may call it (`host::Hold`).
            Some(exec) => unsafe { answer!(cuGraphExecHostNodeSetParams(exec, node, params)) },
            // SAFETY: as above.
            None => unsafe { answer!(cuGraphHostNodeSetParams(node, params)) },
        };
        self.done(new, answer)
    }

    #[inline]
    fn record(self, event: &Event<'_>) -> Result {
        let NodeToSet { node, exec } = self.to;
        same_context(self.call, event.context() == self.context)?;
        let new = New::of([Kept::Event(event.inner.clone())]);
        let event = event.raw();
        let answer = match exec {
            // SAFETY: 1. as above. 2. The event is alive, and kept.
            Some(exec) => unsafe { answer!(cuGraphExecEventRecordNodeSetEvent(exec, node, event)) },
            // SAFETY: as above.
            None => unsafe { answer!(cuGraphEventRecordNodeSetEvent(node, event)) },
        };
        self.done(new, answer)
    }

    #[inline]
    fn wait(self, event: &Event<'_>) -> Result {
        let NodeToSet { node, exec } = self.to;
        let new = New::of([Kept::Event(event.inner.clone())]);
        let event = event.raw();
        let answer = match exec {
            // SAFETY: 1. as above. 2. The event is alive, and kept.
            Some(exec) => unsafe { answer!(cuGraphExecEventWaitNodeSetEvent(exec, node, event)) },
            // SAFETY: as above.
            None => unsafe { answer!(cuGraphEventWaitNodeSetEvent(node, event)) },
        };
        self.done(new, answer)
    }

    #[inline]
    fn value_operations(self, operations: &[ValueOperation<'_>]) -> Result {
        let NodeToSet { node, exec } = self.to;
        let count = value::count(self.call, self.context.key(), operations)?;
        let new = New::of(Kept::numbers(operations));
        let answer = value::with_params(self.context, (operations, count), |params| {
            match exec {
                // SAFETY: 1. as above. 2. As many operations, which are copied. The numbers are kept, and used atomically
                // alone (F552).
                Some(exec) => unsafe {
                    answer!(cuGraphExecBatchMemOpNodeSetParams(exec, node, params))
                },
                // SAFETY: as above.
                None => unsafe { answer!(cuGraphBatchMemOpNodeSetParams(node, params)) },
            }
        });
        let device = self.context.device();
        let why = |code| {
            value::unsupported(device, operations, code).or_else(|| refusals::values(count, code))
        };
        self.done(new, answer).map_err(|error| error.because(why))
    }

    #[inline]
    fn signals(self, signals: &[(&ExternalSemaphore<'_>, u64)]) -> Result {
        let NodeToSet { node, exec } = self.to;
        let raw = Signals::new(self.call, self.context.key(), signals)?;
        let new = New::of(Kept::semaphores(signals));
        let params = raw.of_node();
        let params = &raw const params;
        let answer = match exec {
            // SAFETY: 1. as above. 2. The parameters are copied, and the graph keeps the semaphores.
            Some(exec) => unsafe {
                answer!(cuGraphExecExternalSemaphoresSignalNodeSetParams(exec, node, params))
            },
            // SAFETY: as above.
            None => unsafe { answer!(cuGraphExternalSemaphoresSignalNodeSetParams(node, params)) },
        };
        let why = |code| refusals::semaphores(signals.len(), code);
        self.done(new, answer).map_err(|error| error.because(why))
    }

    #[inline]
    fn waits(self, waits: &[(&ExternalSemaphore<'_>, u64)]) -> Result {
        let NodeToSet { node, exec } = self.to;
        let raw = Waits::new(self.call, self.context.key(), waits)?;
        let new = New::of(Kept::semaphores(waits));
        let params = raw.of_node();
        let params = &raw const params;
        let answer = match exec {
            // SAFETY: 1. as above. 2. The parameters are copied, and the graph keeps the semaphores.
            Some(exec) => unsafe {
                answer!(cuGraphExecExternalSemaphoresWaitNodeSetParams(exec, node, params))
            },
            // SAFETY: as above.
            None => unsafe { answer!(cuGraphExternalSemaphoresWaitNodeSetParams(node, params)) },
        };
        let why = |code| refusals::semaphores(waits.len(), code);
        self.done(new, answer).map_err(|error| error.because(why))
    }
}

/// Checks that a node is no empty one in the place of another.
#[inline]
fn does_something(call: &'static str, node: NodeId) -> Result {
    if node.kind == NodeKind::Empty {
        let reason = "the node was added for no elements or no blocks, and does nothing: build the graph again";
        return Err(Error::InvalidArgument { call, reason: reason.into() });
    }
    Ok(())
}

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
    /// [`InvalidArgument`](Error::InvalidArgument) for a node of another graph; `CUDA_ERROR_INVALID_VALUE` for
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
    /// [`InvalidArgument`](Error::InvalidArgument) for a node of another graph, for elements of another size, and for a
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
    /// [`LengthMismatch`](Error::LengthMismatch); [`ExtentMismatch`](Error::ExtentMismatch);
    /// [`OtherContext`](Error::OtherContext); [`InvalidArgument`](Error::InvalidArgument) for a node of another graph or of a
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
    /// [`GraphBuffers`](Error::GraphBuffers) if these are not the other graph's buffers;
    /// [`OtherContext`](Error::OtherContext); [`InvalidArgument`](Error::InvalidArgument) for a node of another graph or of a
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
    /// [`InvalidArgument`](Error::InvalidArgument) for a node of another graph.
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
    /// [`OtherContext`](Error::OtherContext); [`InvalidArgument`](Error::InvalidArgument) for a node of another graph.
    #[doc(alias = "cuGraphExecEventRecordNodeSetEvent")]
    #[inline]
    pub fn set_event_record(&mut self, node: EventRecordNode, event: &Event<'ctx>) -> Result {
        self.change(RECORD, node.id())?.record(event)
    }

    /// Changes the event that a node waits for.
    ///
    /// # Errors
    /// [`InvalidArgument`](Error::InvalidArgument) for a node of another graph.
    #[doc(alias = "cuGraphExecEventWaitNodeSetEvent")]
    #[inline]
    pub fn set_event_wait(&mut self, node: EventWaitNode, event: &Event<'_>) -> Result {
        self.change(WAIT, node.id())?.wait(event)
    }

    /// Changes waits for numbers and writes of them, to other numbers, values or conditions: as many operations, of the
    /// same kinds in the same order.
    ///
    /// # Errors
    /// [`OtherContext`](Error::OtherContext); [`InvalidArgument`](Error::InvalidArgument) for a node of another graph,
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
    /// [`OtherContext`](Error::OtherContext); [`InvalidArgument`](Error::InvalidArgument) for a node of another graph, and
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
    /// The errors of [`Graph::set_child`]; [`NeedsDriver`](Error::NeedsDriver) before CUDA 12.2;
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
    /// [`OtherContext`](Error::OtherContext); [`InvalidArgument`](Error::InvalidArgument) for a node of another graph,
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
    /// [`LaunchRefused`](Error::LaunchRefused) by the check of a `TrustedKernel`; [`InvalidArgument`](Error::InvalidArgument) for a node
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
    /// [`InvalidArgument`](Error::InvalidArgument) for a node of another graph or of a graph that was captured
    /// ([capture it again](Self::recapture)), for memory that the node does not use or only reads, and for a condition;
    /// [`OtherContext`](Error::OtherContext); [`NotCurrent`](Error::NotCurrent); `CUDA_ERROR_INVALID_VALUE` for
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
