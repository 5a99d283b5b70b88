//! Graphs: device work that is captured once, or built node by node, and replayed many times.
//!
//! The guide has a page about this: [graphs](crate::guide::graphs).
#![allow(unsafe_code, reason = "calls the driver")]

mod build;
mod capture;
mod definition;
mod captured_stream;
mod change;
mod stream;
mod replay;
mod add;
mod alloc;
mod arena;
pub(crate) mod buffers;
mod conditional;
mod copy;
mod device_memory;
mod difference;
mod dot;
mod enqueue;
mod host;
mod kept;
pub(crate) mod node;
mod open;
mod pool;
mod raw;
mod refusals;
mod regions;
mod resources;
mod semaphores;
mod set;
mod times;
mod update;

pub use buffers::GraphBuffers;
pub(crate) use buffers::sealed::names;
pub use build::GraphBuilder;
pub use capture::Capture;
pub use conditional::Condition;
pub use definition::GraphDefinition;
pub use difference::{Difference, Replaced};
pub use dot::DotFlags;
pub use enqueue::Enqueue;
pub use node::{
    AllocNode, ChildGraphNode, ConditionalNode, EmptyNode, EventRecordNode, EventWaitNode,
    FreeNode, HostNode, KernelNode, MemcpyNode, MemsetNode, Node, NodeId, NodeKind,
    SemaphoreSignalNode, SemaphoreWaitNode, ValueOperationsNode, kind,
};
pub use open::{OpenCapture, OpenCaptureStream};
pub use pool::GraphPool;
pub use stream::CaptureStream;
pub use times::{NodeTime, NodeTimes};

use crate::brand::{Brand, never};
use crate::context::Context;
use crate::driver::release::put_off;
use crate::error::{Error, Result};
use crate::memory::home::Ended;
use crate::memory::in_flight::InFlight;
use crate::ops::Operation;
use difference::Refused;
use ffi::CUgraphExec;
use raw::{Exec, Template};
use resources::GraphResources;
use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::{fmt, mem};

/// A graph of device work that runs with one driver call, as often as you like.
///
/// [`PushedGuard::capture`](crate::PushedGuard::capture) captures one and
/// [`PushedGuard::build_graph`](crate::PushedGuard::build_graph) builds one node by node.
/// [`SyncStream::replay`](crate::SyncStream::replay) and [`ScopedStream::replay`](crate::ScopedStream::replay)
/// run it.
///
/// A graph owns the resources that it runs on (invariant [`graph-owns`](crate::soundness#graph-owns)). Its
/// memory is freed when the buffer *and* the graph are dropped, and a module is unloaded when no graph uses a
/// kernel of it. A graph borrows nothing, so you pass the buffers to each replay. Its replays run one after the
/// other, in whichever streams ([F149](crate::driver_facts#F149)). You can send a graph to another thread, but
/// not share it.
///
/// # Examples
/// ```
/// use cuscope::{Context, ContextFlags, ContextStack, Device};
///
/// # fn main() -> cuscope::Result {
/// let context = Context::create(Device::get(0)?, ContextFlags::default())?;
/// let mut stack = ContextStack::current_thread()?;
/// let gpu = stack.push(&context)?;
/// let mut stream = gpu.stream()?;
/// let (mut x, mut y) = (gpu.alloc::<u32>(4)?, gpu.alloc::<u32>(4)?);
/// let graph = gpu.capture(&mut stream, |c| {
///     let (stream, mut x, mut y) = (c.stream(), c.hold(&mut x), c.hold(&mut y));
///     stream.fill(&mut x, 7)?; // captured, not run
///     stream.copy(&x, &mut y)
/// })?;
/// gpu.on(&stream).replay(&graph, (&mut x, &mut y))?;
/// assert_eq!(gpu.on(&stream).to_vec(&y)?, [7; 4]);
/// # Ok(()) }
/// ```
#[doc(alias = "cudaGraphExec_t")]
#[doc(alias = "CudaGraph")]
#[must_use = "a graph does nothing until it is replayed"]
pub struct Graph<'ctx> {
    pub(crate) inner: GraphInner,
    pub(crate) _brand: Brand<'ctx>,
}
assert_impl_all!(Graph<'static>: Send);
never! { Sync, as OneThreadAtATime: ['ctx] Graph<'ctx>, 'ctx; }
assert_not_impl_any!(Graph<'static>: Sync);

/// The reason for which a node is refused.
const OTHER_GRAPH: &str = "the node belongs to another graph, or to this graph before it was \
                           captured or built again: use the nodes that its builder or `list_nodes` \
                           returned";

/// Checks that an operation uses no page-locked memory, which graphs do not keep.
fn no_host_memory(call: &'static str, operation: &impl Operation) -> Result {
    if operation.host().is_none() {
        return Ok(());
    }
    let reason = "a graph cannot use host memory, because each replay would use it again: pass device memory, and \
        copy before or after the replay";
    Err(Error::InvalidArgument { call, reason: reason.into() })
}

/// The order of the fields is that of their release.
pub(crate) struct GraphInner {
    in_flight: InFlight,
    exec: Exec,
    template: Template,
    resources: GraphResources,
    context: Context,
    /// Why the last capture or build put a new executable graph in the place of the old one.
    refused: Option<Refused>,
}

impl GraphInner {
    #[inline]
    fn new(exec: Exec, template: Template, resources: GraphResources, context: Context) -> Self {
        let in_flight = InFlight::default();
        GraphInner { in_flight, exec, template, resources, context, refused: None }
    }
}

impl GraphInner {
    /// Takes out what is still to release: the graph, and what it uses.
    #[cold]
    #[inline]
    fn again(&mut self, exec: Exec) -> GraphInner {
        let (template, resources) = (self.template.take(), mem::take(&mut self.resources));
        let in_flight = mem::take(&mut self.in_flight);
        let context = self.context.clone();
        GraphInner { in_flight, exec, template, resources, context, refused: None }
    }
}

impl Drop for GraphInner {
    #[inline]
    fn drop(&mut self) {
        match self.in_flight.end() {
            Ended::Over => {}
            // It may still run: what it uses stays. The driver frees the executable graph when it is done.
            Ended::Unknown => mem::forget(mem::take(&mut self.resources)),
            Ended::NotNow => {
                let exec = self.exec.take();
                return put_off(self.again(exec));
            }
        }
        self.exec.take().end(|exec| self.again(exec));
    }
}

impl Graph<'_> {
    /// Returns the graph without the lifetime of a guard, for a struct beside the [ordered
    /// stream](crate::OrderedStream) that replays it.
    ///
    /// The graph owns its context. Under a guard it is used no more: [detach](Self::detach) it instead for that.
    #[inline]
    pub fn into_static(self) -> Graph<'static> {
        Graph { inner: self.inner, _brand: Brand::new() }
    }

    /// Returns the executable graph for a call that runs or changes it.
    #[inline]
    fn exec(&self, call: &'static str) -> Result<CUgraphExec> {
        let Some(exec) = self.inner.exec.raw() else {
            let reason = "an update of the graph failed, and the graph was lost: capture it again";
            return Err(refusals::not_made(call, reason));
        };
        Ok(exec)
    }

    /// Returns the context.
    #[must_use]
    #[inline]
    pub fn context(&self) -> &Context {
        &self.inner.context
    }

    /// Returns the number of buffers that you pass to a replay.
    #[must_use]
    #[inline]
    pub fn buffers(&self) -> usize {
        self.inner.resources.named()
    }

    /// Returns the number of nodes: one for each operation that was captured.
    ///
    /// # Errors
    /// A driver error.
    #[doc(alias = "cuGraphGetNodes")]
    #[inline]
    pub fn nodes(&self) -> Result<usize> {
        self.inner.template.count()
    }

    /// Returns all nodes, in the order in which they were captured or built, without those of child graphs.
    /// `try_into` converts one to a [`Node`].
    ///
    /// # Errors
    /// A driver error.
    #[doc(alias = "cuGraphGetNodes")]
    #[doc(alias = "cuGraphNodeGetType")]
    #[inline]
    pub fn list_nodes(&self) -> Result<Vec<NodeId>> {
        self.inner.template.list()
    }

    /// Returns the number of edges, each between a node and one that runs after it.
    ///
    /// # Errors
    /// A driver error.
    #[doc(alias = "cuGraphGetEdges")]
    #[inline]
    pub fn edges(&self) -> Result<usize> {
        self.inner.template.edges()
    }
}

impl fmt::Debug for Graph<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let graph = self.inner.template.raw();
        write!(f, "Graph({graph:p} of {} buffers, {:?})", self.buffers(), self.context())
    }
}
