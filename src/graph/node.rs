//! The nodes of graphs.

use static_assertions::assert_impl_all;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

/// The kind of a node in a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NodeKind {
    /// Runs a kernel.
    Kernel,
    /// Copies.
    Memcpy,
    /// Fills memory.
    Memset,
    /// Calls a host function.
    Host,
    /// Runs the nodes of another graph.
    ChildGraph,
    /// Does nothing.
    Empty,
    /// Waits for an event.
    EventWait,
    /// Records an event.
    EventRecord,
    /// Allocates memory.
    Alloc,
    /// Frees memory.
    Free,
    /// Signals semaphores of another interface.
    SemaphoreSignal,
    /// Waits for semaphores of another interface.
    SemaphoreWait,
    /// Waits for numbers in host memory, and writes them.
    ValueOperations,
    /// Runs graphs of its own, as a condition says.
    Conditional,
    /// A kind that this version of the crate has no name for: the driver's number.
    Other(u32),
}

impl NodeKind {
    #[inline]
    pub(super) fn new(raw: ffi::CUgraphNodeType) -> NodeKind {
        match raw {
            ffi::CU_GRAPH_NODE_TYPE_KERNEL => NodeKind::Kernel,
            ffi::CU_GRAPH_NODE_TYPE_MEMCPY => NodeKind::Memcpy,
            ffi::CU_GRAPH_NODE_TYPE_MEMSET => NodeKind::Memset,
            ffi::CU_GRAPH_NODE_TYPE_HOST => NodeKind::Host,
            ffi::CU_GRAPH_NODE_TYPE_GRAPH => NodeKind::ChildGraph,
            ffi::CU_GRAPH_NODE_TYPE_EMPTY => NodeKind::Empty,
            ffi::CU_GRAPH_NODE_TYPE_WAIT_EVENT => NodeKind::EventWait,
            ffi::CU_GRAPH_NODE_TYPE_EVENT_RECORD => NodeKind::EventRecord,
            ffi::CU_GRAPH_NODE_TYPE_MEM_ALLOC => NodeKind::Alloc,
            ffi::CU_GRAPH_NODE_TYPE_MEM_FREE => NodeKind::Free,
            ffi::CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL => NodeKind::SemaphoreSignal,
            ffi::CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT => NodeKind::SemaphoreWait,
            ffi::CU_GRAPH_NODE_TYPE_BATCH_MEM_OP => NodeKind::ValueOperations,
            ffi::CU_GRAPH_NODE_TYPE_CONDITIONAL => NodeKind::Conditional,
            other => NodeKind::Other(other.0),
        }
    }

    /// Returns whether the graph of a conditional node may have such a node ([F524](crate::driver_facts#F524)).
    #[inline]
    pub(super) fn may_be_in_body(self) -> bool {
        use NodeKind::*;
        matches!(self, Kernel | Memcpy | Memset | ChildGraph | Empty | Conditional)
    }
}

/// A node of one graph, of any kind, on which other nodes can depend. A call refuses a node of another graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodeId {
    /// The number of the graph.
    pub(super) graph: u64,
    /// Its place in the graph.
    pub(super) place: usize,
    pub(super) kind: NodeKind,
}

impl NodeId {
    /// Returns the kind of the node.
    #[must_use]
    pub fn kind(self) -> NodeKind {
        self.kind
    }
}

/// A node of known kind: [`KernelNode`] and so on. It is a number that keeps nothing alive, and identifies the
/// node in one graph only.
///
/// A node for no elements, or for a launch of an [empty grid](crate::LaunchConfig::is_empty), is an empty one: its
/// [id](Self::id) says so.
pub struct Node<K> {
    id: NodeId,
    _kind: PhantomData<K>,
}
assert_impl_all!(Node<kind::Kernel>: Send, Sync, Copy);

impl<K> Node<K> {
    /// Creates a node of this kind, or an empty one in its place.
    pub(super) fn new(id: NodeId) -> Self
    where
        K: Kind,
    {
        debug_assert!([K::KIND, NodeKind::Empty].contains(&id.kind));
        Node { id, _kind: PhantomData }
    }

    /// Returns the node of another graph that corresponds to it.
    pub(super) fn in_graph(self, graph: u64) -> Self {
        Node { id: NodeId { graph, ..self.id }, _kind: PhantomData }
    }

    /// Returns the node without its kind.
    #[must_use]
    pub fn id(self) -> NodeId {
        self.id
    }
}

impl<K> From<Node<K>> for NodeId {
    fn from(node: Node<K>) -> NodeId {
        node.id
    }
}

impl<K> Clone for Node<K> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<K> Copy for Node<K> {}
impl<K> PartialEq for Node<K> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}
impl<K> Eq for Node<K> {}
impl<K> Hash for Node<K> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}
impl<K> fmt::Debug for Node<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NodeId { graph, place, kind } = self.id;
        write!(f, "{kind:?}Node({place} of graph {graph})")
    }
}

/// A kind of node, as a type.
pub(super) trait Kind {
    /// The kind as a value.
    const KIND: NodeKind;
}

macro_rules! kinds {
    ($($(#[$meta:meta])* $kind:ident $node:ident;)*) => {
        /// The kinds of [`Node`](super::Node).
        pub mod kind {
            use super::{Kind, Node, NodeId, NodeKind};
            $(
                $(#[$meta])*
                #[derive(Clone, Copy, Debug)]
                pub enum $kind {}
                impl Kind for $kind {
                    const KIND: NodeKind = NodeKind::$kind;
                }
                /// Converts a node to this kind, if it is of this kind.
                impl TryFrom<NodeId> for Node<$kind> {
                    /// The node itself.
                    type Error = NodeId;
                    fn try_from(id: NodeId) -> Result<Self, NodeId> {
                        if id.kind == <$kind>::KIND { Ok(Node::new(id)) } else { Err(id) }
                    }
                }
            )*
        }
        $($(#[$meta])* pub type $node = Node<kind::$kind>;)*
    };
}
kinds! {
    /// Runs a kernel.
    Kernel KernelNode;
    /// Copies between buffers.
    Memcpy MemcpyNode;
    /// Fills a buffer.
    Memset MemsetNode;
    /// Calls a host function.
    Host HostNode;
    /// Runs the nodes of another graph.
    ChildGraph ChildGraphNode;
    /// Does nothing.
    Empty EmptyNode;
    /// Waits for an event.
    EventWait EventWaitNode;
    /// Records an event.
    EventRecord EventRecordNode;
    /// Allocates memory.
    Alloc AllocNode;
    /// Frees memory.
    Free FreeNode;
    /// Signals semaphores of another interface.
    SemaphoreSignal SemaphoreSignalNode;
    /// Waits for semaphores of another interface.
    SemaphoreWait SemaphoreWaitNode;
    /// Waits for numbers in host memory, and writes them.
    ValueOperations ValueOperationsNode;
    /// Runs graphs of its own, as a condition says.
    Conditional ConditionalNode;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_the_driver_has_a_name_or_its_number() {
        let kinds = (0..=15).map(|raw| NodeKind::new(ffi::CUgraphNodeType(raw)));
        let last: Vec<_> = kinds.clone().skip(13).collect();
        assert_eq!(last, [NodeKind::Conditional, NodeKind::Other(14), NodeKind::Other(15)]);
        let named = kinds.filter(|kind| !matches!(kind, NodeKind::Other(_)));
        assert_eq!(named.collect::<std::collections::HashSet<_>>().len(), 14);
        assert_eq!(NodeKind::new(ffi::CUgraphNodeType(99)), NodeKind::Other(99));
    }
}
