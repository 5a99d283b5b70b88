//! Graphs: device work that is captured once, or built node by node, and replayed many times.
#![allow(unsafe_code, reason = "calls the driver")]

mod add;
mod alloc;
mod buffers;
mod build;
mod capture;
mod copy;
mod device_queue;
mod dot;
mod host;
mod kept;
pub(crate) mod node;
mod queue;
mod raw;
mod replay;
mod set;
mod taken;
mod update;

pub use buffers::{GraphBuffers, ScopeGraphBuffers};
pub use build::GraphBuilder;
pub use capture::Capture;
pub use device_queue::DeviceQueue;
pub use dot::DotFlags;
pub use node::{
    AllocNode, ChildGraphNode, EmptyNode, EventRecordNode, EventWaitNode, FreeNode, HostNode,
    KernelNode, Kind, MemcpyNode, MemsetNode, Node, NodeId, NodeKind, kind,
};
pub use queue::CaptureQueue;

use crate::brand::Brand;
use crate::call::answer;
use crate::context::Context;
use crate::error::{Error, Result};
use ffi::CUgraphExec;
use kept::Kept;
use raw::{Exec, Template};
use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::{fmt, ptr};

/// Device work, captured by [`PushedGuard::capture`](crate::PushedGuard::capture) or built by
/// [`PushedGuard::build_graph`](crate::PushedGuard::build_graph), and run by
/// [`OnStream::replay`](crate::OnStream::replay) and [`Queue::replay`](crate::Queue::replay).
///
/// It owns what it runs on (invariant `graph-owns`): memory that it names is freed when the buffer *and*
/// the graph are dropped, and a module is unloaded when no graph uses a kernel of it. It borrows nothing,
/// so that each replay names the buffers again. One replay of it runs at a time (F149), in whichever
/// streams; it can be sent to another thread, but not shared.
#[must_use = "a graph does nothing until it is replayed"]
pub struct Graph<'ctx> {
    pub(crate) inner: GraphInner,
    pub(crate) _brand: Brand<'ctx>,
}
assert_impl_all!(Graph<'static>: Send);
assert_not_impl_any!(Graph<'static>: Sync);

/// Why a node is refused.
const OTHER_GRAPH: &str = "the node is of another graph, or of this one before it was captured or built \
    again: use what its builder or `list_nodes` gave";

/// Why it takes no page-locked memory.
const NO_HOST_MEMORY: &str = "a graph keeps no memory of the host, which each replay would use: pass \
    device memory, and copy before or after the replay";

/// The order of the fields is that of their release.
pub(crate) struct GraphInner {
    exec: Exec,
    template: Template,
    kept: Kept,
    context: Context,
}

impl Graph<'_> {
    /// What a call runs or changes.
    #[inline]
    fn exec(&self, call: &'static str) -> Result<CUgraphExec> {
        let Some(exec) = self.inner.exec.raw() else {
            let reason = "an update of the graph failed, and it was lost: capture it again";
            return Err(Error::InvalidArgument { call, reason });
        };
        Ok(exec)
    }

    /// The context.
    #[must_use]
    #[inline]
    pub fn context(&self) -> &Context {
        &self.inner.context
    }

    /// How many buffers a replay names.
    #[must_use]
    #[inline]
    pub fn buffers(&self) -> usize {
        self.inner.kept.named()
    }

    /// How many nodes it has: one for each operation that was captured.
    ///
    /// # Errors
    /// What the driver answers.
    #[doc(alias = "cuGraphGetNodes")]
    pub fn nodes(&self) -> Result<usize> {
        self.inner.template.count()
    }

    /// All nodes, in the order in which they were captured or built, but not those of child graphs. Each is a
    /// [`Node`] by `try_into`.
    ///
    /// # Errors
    /// What the driver answers.
    #[doc(alias = "cuGraphGetNodes")]
    #[doc(alias = "cuGraphNodeGetType")]
    pub fn list_nodes(&self) -> Result<Vec<NodeId>> {
        let id = self.inner.template.id();
        let kind_of = |(place, &node): (usize, &ffi::CUgraphNode)| {
            let mut kind = ffi::CU_GRAPH_NODE_TYPE_EMPTY;
            // SAFETY: the node is one of the graph, which is alive; writes one number to `kind`.
            unsafe { answer!(cuGraphNodeGetType(node, &raw mut kind)) }.check()?;
            Ok(NodeId { graph: id, place, kind: NodeKind::new(kind) })
        };
        self.inner.template.nodes()?.iter().enumerate().map(kind_of).collect()
    }

    /// How many edges it has, each between a node and one that runs behind it.
    ///
    /// # Errors
    /// What the driver answers.
    #[doc(alias = "cuGraphGetEdges")]
    pub fn edges(&self) -> Result<usize> {
        let (graph, mut count) = (self.inner.template.raw(), 0);
        let (from, to) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: the graph is alive; null for both ends of the edges has their number written to `count`.
        unsafe { answer!(cuGraphGetEdges(graph, from, to, &raw mut count)) }.check()?;
        Ok(count)
    }
}

impl fmt::Debug for Graph<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let graph = self.inner.template.raw();
        write!(f, "Graph({graph:p} of {} buffers, {:?})", self.buffers(), self.context())
    }
}
