//! Changes to single nodes, which apply from the next replay on.
#![allow(unsafe_code, reason = "calls the driver")]

use super::resources::Span;
use super::{Graph, KernelNode, MemsetNode, NodeId, NodeKind, ValueOperationsNode, no_host_memory};
use crate::args::KernelArgs;
use crate::args::sealed::Operands;
use crate::call::{answer, name, same_context};
use crate::error::{Error, Result};
use crate::kernel::{ArgumentsOf, Launchable};
use crate::launch::LaunchConfig;
use crate::memory::access::Access;
use crate::memory::{Fillable, InScope};
use crate::ops::{Launch, NodeOperation, Operation, pattern};
use crate::stack::PushedGuard;
use crate::stream::value::{self, ValueOperation};
use ffi::{CUgraphExec, CUgraphNode};

impl Graph<'_> {
    /// Returns the handles of the executable graph and of a node in it that is to be changed. Waits for the ordered
    /// streams that may still run the graph.
    #[inline]
    pub(super) fn node_to_change(
        &mut self,
        call: &'static str,
        node: NodeId,
    ) -> Result<(CUgraphExec, CUgraphNode)> {
        self.inner.in_flight.settle_exclusive()?;
        self.node_of(call, node)
    }

    /// Returns the handles of the executable graph and of a node in it.
    #[inline]
    fn node_of(&self, call: &'static str, node: NodeId) -> Result<(CUgraphExec, CUgraphNode)> {
        let raw = self.inner.template.node(call, node)?;
        if !self.inner.exec.is_of(&self.inner.template) {
            let reason = "the graph was updated in place, and the driver no longer accepts its \
                          nodes: capture or build a new graph";
            return Err(Error::InvalidArgument { call, reason });
        }
        Ok((self.exec(call)?, raw))
    }

    /// Changes the value of a fill. `T` must have the size of the fill's elements; zeroing is a fill of bytes.
    ///
    /// # Errors
    /// [`InvalidArgument`](Error::InvalidArgument) for a node of another graph, for elements of another size, and for a
    /// fill of no elements.
    #[doc(alias = "cuGraphExecMemsetNodeSetParams")]
    pub fn set_fill<T: Fillable>(&mut self, node: MemsetNode, value: T) -> Result {
        const CALL: &str = name!(cuGraphExecMemsetNodeSetParams);
        does_something(CALL, node.id())?;
        let (exec, raw) = self.node_to_change(CALL, node.id())?;
        let mut params = self.inner.template.fill(node.id().place, raw)?;
        if params.elementSize as usize != size_of::<T>() {
            let reason = "the node fills elements of another size: pass a value of that size";
            return Err(Error::InvalidArgument { call: CALL, reason });
        }
        params.value = pattern(&value);
        let context = self.context().raw();
        // SAFETY: both are alive, and nothing runs the graph, as it is borrowed exclusively. The fill is the
        // node's own but for the value, which is one of its elements. No context need be current, and
        // captures do not refuse it (F217).
        unsafe { answer!(cuGraphExecMemsetNodeSetParams(exec, raw, &raw const params, context)) }
            .result()
    }

    /// Changes waits for numbers and writes of them, to other numbers, values or conditions: as many operations, of the
    /// same kinds in the same order. The graph keeps the memory of all numbers that it ever used.
    ///
    /// # Errors
    /// [`OtherContext`](Error::OtherContext); [`InvalidArgument`](Error::InvalidArgument) for a node of another graph,
    /// and for one of no operations; `CUDA_ERROR_INVALID_VALUE` for operations of another number or other kinds
    /// ([F552](crate::driver_facts#F552)). The node then stays as it was.
    #[doc(alias = "cuGraphExecBatchMemOpNodeSetParams")]
    pub fn set_value_operations(
        &mut self,
        node: ValueOperationsNode,
        operations: &[ValueOperation<'_>],
    ) -> Result {
        const CALL: &str = name!(cuGraphExecBatchMemOpNodeSetParams);
        does_something(CALL, node.id())?;
        let key = self.context().key();
        same_context(CALL, operations.iter().all(|operation| operation.is_of(key)))?;
        let (exec, node) = self.node_to_change(CALL, node.id())?;
        self.inner.resources.values(operations);
        value::with_params(self.context(), operations, |params| {
            // SAFETY: both are alive, and nothing runs the graph, as it is borrowed exclusively. As many operations,
            // which are copied. The numbers are kept, and used atomically alone. No context need be current, and
            // captures do not refuse it (F552).
            unsafe { answer!(cuGraphExecBatchMemOpNodeSetParams(exec, node, params)) }.result()
        })
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
        let (exec, node) = self.node_to_change(name!(cuGraphNodeSetEnabled), node.into())?;
        // SAFETY: both are alive, and nothing runs the graph, as it is borrowed exclusively; no context need
        // be current, and captures do not refuse it (F217).
        unsafe { answer!(cuGraphNodeSetEnabled(exec, node, enabled.into())) }.result()
    }

    /// Returns whether a kernel, a copy or a fill is on.
    ///
    /// # Errors
    /// The errors of [`set_enabled`](Self::set_enabled).
    #[doc(alias = "cuGraphNodeGetEnabled")]
    pub fn is_enabled(&self, node: impl Into<NodeId>) -> Result<bool> {
        let (exec, node) = self.node_of(name!(cuGraphNodeGetEnabled), node.into())?;
        let mut enabled = 0;
        // SAFETY: both are alive; writes one number to `enabled`, which is valid for it.
        unsafe { answer!(cuGraphNodeGetEnabled(exec, node, &raw mut enabled)) }.check()?;
        Ok(enabled != 0)
    }
}

/// Checks that a node is no empty one in the place of another.
#[inline]
pub(super) fn does_something(call: &'static str, node: NodeId) -> Result {
    if node.kind == NodeKind::Empty {
        let reason = "the node was added for no elements or no blocks, and does nothing: build the graph again";
        return Err(Error::InvalidArgument { call, reason });
    }
    Ok(())
}

/// # Graphs: kernel nodes
impl<'ctx> PushedGuard<'ctx> {
    /// Changes the launch of a kernel node in a graph that was built. It keeps its attributes
    /// ([F555](crate::driver_facts#F555)).
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
    /// 1. to 3. of [`SyncStream::launch`](crate::SyncStream::launch), for each replay of the graph.
    #[doc(alias = "cuGraphExecKernelNodeSetParams")]
    pub unsafe fn set_kernel<
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
        const CALL: &str = name!(cuGraphExecKernelNodeSetParams_v2);
        does_something(CALL, node.id())?;
        let (function, own) = (kernel.function(), self.context());
        // SAFETY: the caller's obligations 1 to 3, at each replay.
        let launch = unsafe { Launch::new(function, config, args) };
        launch.check(CALL)?;
        let same = launch.node_is_of(own.key()) && launch.uses().all_of(own.key());
        same_context(CALL, own == graph.context() && same)?;
        let (exec, raw) = graph.node_to_change(CALL, node.id())?;
        no_host_memory(CALL, &launch)?;
        let resources = &mut graph.inner.resources;
        launch.uses().with_accesses(|accesses| {
            let reason = if accesses.iter().any(Access::is_condition) {
                "a condition is an argument of kernels that are added to its own graph"
            } else {
                match resources.kernel_may_use(node.id().place, accesses.iter().filter_map(Span::of)) {
                    Some(true) => {
                        self.enter(CALL)?;
                        resources.code(function.owner());
                        resources.objects(accesses);
                        return Ok(());
                    }
                    Some(false) => {
                        "the node does not use this memory in this way, so the graph does not order the use: build the \
                         graph again"
                    }
                    None => "cuscope does not know which memory a captured node uses: capture the graph again",
                }
            };
            Err(Error::InvalidArgument { call: CALL, reason })
        })?;
        // SAFETY: 1. Both are alive, and nothing runs the graph, as it is borrowed exclusively. The context of the
        // function, which is kept, is current. 2. The memory is kept, named by each replay, and ordered within the
        // graph, as the node used it before.
        unsafe { launch.set(exec, raw) }.result()
    }
}
