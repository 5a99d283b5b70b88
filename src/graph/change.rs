//! The change of one node: its checks, its driver call, and what the graph keeps afterwards. Graphs that can run and
//! definitions have the same changes, by different functions of the driver.
#![allow(unsafe_code, reason = "calls the driver")]

use super::kept::{Kept, New, User};
use super::raw::{Template, node_params};
use super::refusals;
use super::resources::GraphResources;
use super::{Graph, GraphBuffers, NodeId, NodeKind, host, no_host_memory};
use crate::args::sealed::Operands;
use crate::call::{Answer, answer, name, same_context};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::external::{ExternalSemaphore, Signals, Waits};
use crate::kernel::{ArgumentsOf, SafeKernel};
use crate::launch::LaunchConfig;
use crate::memory::Fillable;
use crate::memory::access::Access;
use crate::ops::{Copy, Launch, NodeOperation, NodeToSet, Operation, pattern, with_reason};
use crate::stack::PushedGuard;
use crate::stream::value::{self, ValueOperation};

/// The driver functions of a change: in a graph that can run, and in a definition.
#[derive(Clone, Copy)]
pub(super) struct Calls {
    pub(super) ready: &'static str,
    pub(super) defined: &'static str,
}

/// Makes the names of the two functions of a change.
macro_rules! calls {
    ($name:ident: $ready:ident, $defined:ident) => {
        pub(super) const $name: Calls = Calls { ready: name!($ready), defined: name!($defined) };
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
pub(super) struct Change<'g> {
    pub(super) call: &'static str,
    pub(super) to: NodeToSet,
    pub(super) place: usize,
    pub(super) template: &'g mut Template,
    pub(super) resources: &'g mut GraphResources,
    pub(super) context: &'g Context,
}

// What all of them ask the driver for, in the SAFETY comments 1.: the graph and the node are alive, and nothing runs the
// graph. What the node then uses is kept (`graph-owns`), and ordered as what it used before (`nodes-ordered`). No context
// need be current but where it says so, and captures do not refuse it (F217, F570).
impl Change<'_> {
    #[inline]
    pub(super) fn fill<T: Fillable>(self, value: T) -> Result {
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
    pub(super) fn copy(self, copy: &Copy<'_>) -> Result {
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
    pub(super) fn safe_kernel<
        'ctx,
        K: SafeKernel<'ctx>,
        A: Operands + ArgumentsOf<K::Signature>,
    >(
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
        let launch = kernel.checked_launch(config, args, &*watch, Ok)?;
        self.kernel(gpu, &launch)
    }

    pub(super) fn kernel<A: Operands>(
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

    pub(super) fn child<'ctx, L>(
        self,
        other: &Graph<'ctx>,
        buffers: impl GraphBuffers<'ctx, L>,
    ) -> Result {
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

    pub(super) fn host_function(self, function: impl FnMut() + Send + 'static) -> Result {
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
    pub(super) fn record(self, event: &Event<'_>) -> Result {
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
    pub(super) fn wait(self, event: &Event<'_>) -> Result {
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
    pub(super) fn value_operations(self, operations: &[ValueOperation<'_>]) -> Result {
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
    pub(super) fn signals(self, signals: &[(&ExternalSemaphore<'_>, u64)]) -> Result {
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
    pub(super) fn waits(self, waits: &[(&ExternalSemaphore<'_>, u64)]) -> Result {
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
pub(super) fn does_something(call: &'static str, node: NodeId) -> Result {
    if node.kind == NodeKind::Empty {
        let reason = "the node was added for no elements or no blocks, and does nothing: build the graph again";
        return Err(Error::InvalidArgument { call, reason: reason.into() });
    }
    Ok(())
}
