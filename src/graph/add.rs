//! Adding nodes to a graph that is being built.
#![allow(unsafe_code, reason = "calls the driver")]

use super::host;
use super::kept::{Kept, User};
use super::node::{
    ChildGraphNode, EmptyNode, EventRecordNode, EventWaitNode, HostNode, KernelNode, Kind,
    MemcpyNode, MemsetNode, Node, NodeId, ValueOperationsNode,
};
use super::resources::Span;
use super::{Graph, GraphBuffers, GraphBuilder, no_host_memory};
use crate::args::KernelArgs;
use crate::args::sealed::Operands;
use crate::call::{answer, name, same_context};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::kernel::{ArgumentsOf, Launchable, SafeKernel};
use crate::launch::{LaunchSpec, Spec};
use crate::memory::{Element, Fillable, InScope};
use crate::ops::{Copy, Fill, Launch, NodeOperation, Slot, with_reason};
use crate::scope::{Destination, Source};
use crate::stream::value::{self, ValueOperation};

// What all of them ask the driver for, in the SAFETY comments 1.: the graph is alive as long as its
// builder, and the nodes before are of it, each once. The new one is written to a place that is valid for
// it. What it uses is kept by the graph until nothing runs it (`graph-owns`), and ordered behind what uses it
// before (`nodes-ordered`). No context need be current but where it says so, and captures do not refuse it (F217).

impl<'s, 'ctx> GraphBuilder<'s, '_, 'ctx> {
    fn same(&self, call: &'static str, is_of: impl FnOnce(&Context) -> bool) -> Result {
        same_context(call, is_of(self.gpu.context()))
    }

    /// Adds an operation on memory, after the nodes that use the memory before it. If there is nothing to do, the node is
    /// an empty one.
    ///
    /// # Safety
    /// 1. All memory of the operation is alive, and borrowed as the operation uses it until the graph is built.
    unsafe fn node<O: NodeOperation, K: Kind>(
        &self,
        after: &[NodeId],
        operation: O,
    ) -> Result<Node<K>> {
        let context = self.gpu.context();
        operation.check(O::ADD)?;
        let is_empty = operation.is_empty();
        if let Some(reason) = operation.no_node().filter(|_| !is_empty) {
            return Err(Error::InvalidArgument { call: O::ADD, reason: reason.into() });
        }
        let same = operation.node_is_of(context.key()) && operation.uses().all_of(context.key());
        same_context(O::ADD, same)?;
        no_host_memory(O::ADD, &operation)?;
        if O::ENTERS && !is_empty {
            self.gpu.enter(O::ADD)?;
        }
        let before = operation.uses().with_accesses(|accesses| {
            self.names(accesses);
            self.behind(O::ADD, after, accesses)
        })?;
        if is_empty {
            return self.add_empty(&before);
        }
        // SAFETY: 1. As above; one node can do it, and the context is alive, and current if the node enters it. 2. The
        // operation was checked. The graph keeps the memory (`graph-owns`), and each replay lends it again; what other
        // nodes do with it is ordered by its uses (`nodes-ordered`).
        self.add(&before, |slot| unsafe { operation.add(slot, context.raw()) })
            .map_err(|error| with_reason(&operation, error, context.key()))
    }

    /// Adds the launch of a kernel whose launches are safe: a `GuardedKernel` or a [`TrustedKernel`](crate::TrustedKernel).
    ///
    /// Plain values among the arguments keep their value until [`set_kernel`](crate::PushedGuard::set_kernel), and attributes for
    /// ever. The graph keeps the kernel's module loaded.
    ///
    /// # Errors
    /// [`LaunchRefused`](crate::Error::LaunchRefused) by the check of a `TrustedKernel`;
    /// [`OtherContext`](crate::Error::OtherContext); [`NotCurrent`](crate::Error::NotCurrent);
    /// [`InvalidArgument`](crate::Error::InvalidArgument) for a node of another graph, for page-locked memory, and for
    /// events and [programmatic serialization](crate::launch::ExtendedLaunch::programmatic_serialization) among the
    /// attributes; `CUDA_ERROR_INVALID_VALUE` for invalid extents, and for attributes that nodes do not have, such as
    /// preferred clusters ([F554](crate::driver_facts#F554)); `CUDA_ERROR_INVALID_CLUSTER_SIZE` for clusters that the
    /// grid does not consist of.
    #[doc(alias = "cuGraphAddKernelNode")]
    #[doc(alias = "cuGraphKernelNodeSetAttribute")]
    pub fn kernel<
        K: SafeKernel<'ctx>,
        A: KernelArgs<'ctx, InScope<'s>> + ArgumentsOf<K::Signature>,
    >(
        &self,
        after: &[NodeId],
        kernel: &K,
        config: impl LaunchSpec<'ctx>,
        args: A,
    ) -> Result<KernelNode> {
        let watch = self.record.resources.borrow().watch().clone();
        let launch = kernel.checked_launch(config, args, &*watch, Ok);
        self.record.note(launch.and_then(|launch| self.add_launch(after, launch)))
    }

    /// Adds the launch of a kernel that nobody vouches for yet. Plain values among the arguments keep their value until
    /// [`set_kernel_unchecked`](crate::PushedGuard::set_kernel_unchecked), and attributes for ever. The graph keeps the
    /// kernel's module loaded.
    ///
    /// # Errors
    /// [`OtherContext`](crate::Error::OtherContext); [`NotCurrent`](crate::Error::NotCurrent);
    /// [`InvalidArgument`](crate::Error::InvalidArgument) for a node of another graph, for page-locked memory, and for
    /// events and [programmatic serialization](crate::launch::ExtendedLaunch::programmatic_serialization) among the
    /// attributes; `CUDA_ERROR_INVALID_VALUE` for invalid extents, and for attributes that nodes do not have, such as
    /// preferred clusters ([F554](crate::driver_facts#F554)); `CUDA_ERROR_INVALID_CLUSTER_SIZE` for clusters that the
    /// grid does not consist of.
    ///
    /// # Safety
    /// 1. to 3. of [`SyncStream::launch_unchecked`](crate::SyncStream::launch_unchecked), for each replay of the graph.
    ///    The other nodes are in flight at the same time, unless memory that both use, or the program, orders them.
    #[doc(alias = "cuGraphAddKernelNode")]
    #[doc(alias = "cuGraphKernelNodeSetAttribute")]
    pub unsafe fn kernel_unchecked<
        K: Launchable<'ctx>,
        A: KernelArgs<'ctx, InScope<'s>> + ArgumentsOf<K::Signature>,
    >(
        &self,
        after: &[NodeId],
        kernel: &K,
        config: impl LaunchSpec<'ctx>,
        args: A,
    ) -> Result<KernelNode> {
        // SAFETY: the caller's obligations 1 to 3, at each replay.
        let launch = unsafe { Launch::new(kernel.inner(), config, args) };
        self.record.note(self.add_launch(after, launch))
    }

    /// Adds a launch as [`kernel`](Self::kernel) does, for a graph that lives as long as `'s`.
    fn add_launch<L: Spec, A: Operands>(
        &self,
        after: &[NodeId],
        launch: Launch<'_, L, A>,
    ) -> Result<KernelNode> {
        let (function, spans, attributes) =
            (launch.function(), Span::all(&launch), launch.changes_shape());
        // SAFETY: the memory is alive, and borrowed as it is used until the graph is built.
        let node: KernelNode = unsafe { self.node(after, launch) }?;
        let mut resources = self.record.resources.borrow_mut();
        resources.keep(User::Defined(node.id().place), [Kept::Code(function.owner().clone())]);
        resources.uses(node.id().place, spans);
        if attributes {
            resources.has_shape(node.id().place);
        }
        Ok(node)
    }

    /// Adds a copy from one buffer to another.
    ///
    /// # Errors
    /// [`LengthMismatch`](crate::Error::LengthMismatch); [`ExtentMismatch`](crate::Error::ExtentMismatch);
    /// [`OtherContext`](crate::Error::OtherContext);
    /// [`InvalidArgument`](crate::Error::InvalidArgument) for a node of another graph.
    #[doc(alias = "cuGraphAddMemcpyNode")]
    pub fn copy<T: Element>(
        &self,
        after: &[NodeId],
        from: impl Source<'s, 'ctx, T>,
        to: &mut impl Destination<'s, T>,
    ) -> Result<MemcpyNode> {
        let add = || {
            let copy = Copy::new(from.access(), to.target());
            let spans = Span::all(&copy);
            // SAFETY: both are alive, and borrowed as they are used until the graph is built.
            let node: MemcpyNode = unsafe { self.node(after, copy) }?;
            self.record.resources.borrow_mut().uses(node.id().place, spans);
            Ok(node)
        };
        self.record.note(add())
    }

    /// Adds a fill that sets every element to `value`, until [`set_fill`](Graph::set_fill) changes it. Elements
    /// have 1, 2 or 4 bytes: others do not compile.
    ///
    /// # Errors
    /// The same as for [`copy`](Self::copy); [`InvalidArgument`](crate::Error::InvalidArgument) for a box whose planes
    /// are apart: add a node for each plane.
    #[doc(alias = "cuGraphAddMemsetNode")]
    pub fn fill<T: Fillable>(
        &self,
        after: &[NodeId],
        to: &mut impl Destination<'s, T>,
        value: T,
    ) -> Result<MemsetNode> {
        // SAFETY: as in `copy`.
        self.record.note(unsafe { self.node(after, Fill::value(to.target(), value)) })
    }

    /// Adds a fill that sets every byte to zero, for elements of any size.
    ///
    /// # Errors
    /// The same as for [`copy`](Self::copy); [`InvalidArgument`](crate::Error::InvalidArgument) for a box whose planes
    /// are apart: add a node for each plane.
    #[doc(alias = "cuGraphAddMemsetNode")]
    pub fn zero<T: Element>(
        &self,
        after: &[NodeId],
        to: &mut impl Destination<'s, T>,
    ) -> Result<MemsetNode> {
        // SAFETY: as in `copy`.
        self.record.note(unsafe { self.node(after, Fill::zero(to.target())) })
    }

    /// Adds a host function, which each replay calls on a thread of the driver.
    ///
    /// The graph and its copies keep the function, and do not call it concurrently. If it panics, the panic
    /// continues where the program waits for the replay. Do not call CUDA from the function: most calls fail
    /// ([F23](crate::driver_facts#F23)). It is not called if a node before it faults: what waits for it must look at the
    /// error of the replay's wait too.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::Error::InvalidArgument) for a node of another graph.
    #[doc(alias = "cuGraphAddHostNode")]
    pub fn host_function(
        &self,
        after: &[NodeId],
        function: impl FnMut() + Send + 'static,
    ) -> Result<HostNode> {
        let add = || {
            let before = self.behind(name!(cuGraphAddHostNode), after, &[])?;
            let (call, params) = host::node(function);
            self.record.resources.borrow_mut().kept_mut().keep_function(self.user(), call);
            self.add(&before, |Slot { node, graph, before, count }| {
                // SAFETY: 1. as above. 2. The function may be called with this argument at any time and on
                // any thread for as long as the driver may call it (`host::Hold`).
                unsafe {
                    answer!(cuGraphAddHostNode(node, graph, before, count, &raw const params))
                }
            })
        };
        self.record.note(add())
    }

    /// Adds a node that does nothing: a point that later nodes can follow.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::Error::InvalidArgument) for a node of another graph.
    #[doc(alias = "cuGraphAddEmptyNode")]
    #[inline]
    pub fn empty(&self, after: &[NodeId]) -> Result<EmptyNode> {
        let add = || self.add_empty(&self.behind(name!(cuGraphAddEmptyNode), after, &[])?);
        self.record.note(add())
    }

    /// Adds all nodes of another graph, as it was captured or built, without later [changes](Graph::set_fill).
    ///
    /// Pass every buffer that the other graph uses, as for a replay. The graph that is built then uses them too.
    ///
    /// # Errors
    /// [`GraphBuffers`](crate::Error::GraphBuffers) if these are not the graph's buffers;
    /// [`OtherContext`](crate::Error::OtherContext); [`InvalidArgument`](crate::Error::InvalidArgument) for a node of
    /// another graph, and for a graph with [`scratch`](Self::scratch) memory, which cannot be shared, or with nodes
    /// that allocate ([F215](crate::driver_facts#F215)).
    #[doc(alias = "cuGraphAddChildGraphNode")]
    pub fn child(
        &self,
        after: &[NodeId],
        graph: &'s Graph<'ctx>,
        buffers: impl GraphBuffers<'ctx, InScope<'s>>,
    ) -> Result<ChildGraphNode> {
        const CALL: &str = name!(cuGraphAddChildGraphNode);
        let add = || {
            let uses = graph.uses_as_child(CALL, self.gpu.context().key(), &buffers)?;
            self.names(&uses);
            let kept = graph.inner.resources.kept().of_child();
            self.record.resources.borrow().watch().inherit(graph.inner.resources.watch());
            self.record.resources.borrow_mut().kept_mut().add(self.user(), kept);
            let before = self.behind(CALL, after, &uses)?;
            let child = graph.inner.template.raw();
            let node = self.add(&before, |Slot { node, graph, before, count }| {
                // SAFETY: 1. as above. 2. The other graph is alive, and another one: this one is not
                // finished. Its nodes are copied.
                unsafe { answer!(cuGraphAddChildGraphNode(node, graph, before, count, child)) }
            })?;
            let spans = uses.iter().filter_map(Span::of).collect();
            self.record.resources.borrow_mut().uses(node.id().place, spans);
            Ok(node)
        };
        self.record.note(add())
    }

    /// Adds a node that records an event at each replay.
    ///
    /// # Errors
    /// [`OtherContext`](crate::Error::OtherContext); [`InvalidArgument`](crate::Error::InvalidArgument) for a node of
    /// another graph.
    #[doc(alias = "cuGraphAddEventRecordNode")]
    #[inline]
    pub fn record(&self, after: &[NodeId], event: &Event<'ctx>) -> Result<EventRecordNode> {
        const CALL: &str = name!(cuGraphAddEventRecordNode);
        let add = || {
            self.same(CALL, |own| event.context() == own)?;
            let before = self.behind(CALL, after, &[])?;
            self.keep([Kept::Event(event.inner.clone())]);
            self.add(&before, |Slot { node, graph, before, count }| {
                // SAFETY: 1. as above. 2. The event is alive, and kept.
                unsafe {
                    answer!(cuGraphAddEventRecordNode(node, graph, before, count, event.raw()))
                }
            })
        };
        self.record.note(add())
    }

    /// Adds waits for numbers in host memory and writes of them, which each replay makes in this order: at most 255
    /// ([F622](crate::driver_facts#F622)). The graph keeps the numbers' memory.
    ///
    /// They order no buffers. A replay does not end before its waits: do not wait for it on the thread that is to write
    /// the numbers. No operations are an empty node.
    ///
    /// # Errors
    /// [`OtherContext`](crate::Error::OtherContext); [`InvalidArgument`](crate::Error::InvalidArgument) for a node of
    /// another graph, and for more operations; `CUDA_ERROR_NOT_SUPPORTED` for an operation that
    /// the device does not have.
    ///
    /// # Examples
    /// ```
    /// # use cuscope::{Context, ContextStack, Device};
    /// use cuscope::stream::Until;
    ///
    /// # fn main() -> cuscope::Result {
    /// # let context = Context::primary(Device::get(0)?)?;
    /// # let mut stack = ContextStack::current_thread()?;
    /// # let gpu = stack.push(&context)?;
    /// let (stream, mut x) = (gpu.stream()?, gpu.alloc::<u32>(64)?);
    /// let (go, done) = (gpu.stream_value(0_u32)?, gpu.stream_value(0_u32)?);
    /// let (graph, ()) = gpu.build_graph(|g| {
    ///     let mut x = g.hold(&mut x);
    ///     let waited = g.value_operations(&[], &[go.wait(Until::AtLeast(1))])?;
    ///     let filled = g.fill(&[waited.id()], &mut x, 7)?;
    ///     g.value_operations(&[filled.id()], &[done.write(1)]).map(drop)
    /// })?;
    /// gpu.scope(|s| {
    ///     let mut x = s.hold(&mut x);
    ///     s.on(&stream).replay(&graph, &mut x)?;
    ///     assert_eq!(done.load(), 0);
    ///     go.store(1);
    ///     Ok(())
    /// })?;
    /// assert_eq!(done.load(), 1);
    /// # Ok(()) }
    /// ```
    #[doc(alias = "cuGraphAddBatchMemOpNode")]
    #[inline]
    pub fn value_operations(
        &self,
        after: &[NodeId],
        operations: &[ValueOperation<'_>],
    ) -> Result<ValueOperationsNode> {
        const CALL: &str = name!(cuGraphAddBatchMemOpNode);
        let add = || {
            let context = self.gpu.context();
            let count = value::count(CALL, context.key(), operations)?;
            let before = self.behind(CALL, after, &[])?;
            if operations.is_empty() {
                return self.add_empty(&before);
            }
            self.keep(Kept::numbers(operations));
            value::with_params(context, (operations, count), |params| {
                self.add(&before, |Slot { node, graph, before, count }| {
                    // SAFETY: 1. as above; the context is alive. 2. As many operations, which are copied. The numbers
                    // are kept, and used atomically alone (F550).
                    unsafe { answer!(cuGraphAddBatchMemOpNode(node, graph, before, count, params)) }
                })
            })
            .map_err(|error| {
                error.because(|code| value::unsupported(context.device(), operations, code))
            })
        };
        self.record.note(add())
    }

    /// Adds a node that waits for the event's latest record before the replay. The event may belong to another
    /// context.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::Error::InvalidArgument) for a node of another graph.
    #[doc(alias = "cuGraphAddEventWaitNode")]
    #[inline]
    pub fn wait(&self, after: &[NodeId], event: &Event<'_>) -> Result<EventWaitNode> {
        let add = || {
            let before = self.behind(name!(cuGraphAddEventWaitNode), after, &[])?;
            self.keep([Kept::Event(event.inner.clone())]);
            self.add(&before, |Slot { node, graph, before, count }| {
                // SAFETY: 1. as above. 2. The event is alive, and kept.
                unsafe { answer!(cuGraphAddEventWaitNode(node, graph, before, count, event.raw())) }
            })
        };
        self.record.note(add())
    }
}
