//! The nodes of graphs, as the program names them.

use static_assertions::assert_impl_all;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

/// What a node of a graph does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NodeKind {
    /// Runs a kernel.
    Kernel,
    /// Copies.
    Memcpy,
    /// Fills memory.
    Memset,
    /// Calls a function of the host.
    Host,
    /// Runs the nodes of another graph.
    ChildGraph,
    /// Nothing.
    Empty,
    /// Waits for an event.
    EventWait,
    /// Records an event.
    EventRecord,
    /// Allocates memory.
    Alloc,
    /// Frees memory.
    Free,
    /// Something that this version of the crate has no name for: the driver's number.
    Other(u32),
}

impl NodeKind {
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
            other => NodeKind::Other(other.0),
        }
    }
}

/// A node of one graph, of any kind: what others depend on. A call that is given one of another graph
/// refuses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodeId {
    /// The number of the graph.
    pub(super) graph: u64,
    /// Its place in the graph.
    pub(super) place: usize,
    pub(super) kind: NodeKind,
}

impl NodeId {
    /// What it does.
    #[must_use]
    pub fn kind(self) -> NodeKind {
        self.kind
    }
}

/// A node of which it is known what it does: [`KernelNode`] and so on. It is a number, which keeps nothing
/// alive, and means the node in one graph only.
pub struct Node<K: Kind> {
    id: NodeId,
    _kind: PhantomData<K>,
}
assert_impl_all!(Node<kind::Kernel>: Send, Sync, Copy);

impl<K: Kind> Node<K> {
    /// Of a node of this kind.
    pub(super) fn new(id: NodeId) -> Self {
        debug_assert_eq!(id.kind, K::KIND);
        Node { id, _kind: PhantomData }
    }

    /// As a node of any kind.
    #[must_use]
    pub fn id(self) -> NodeId {
        self.id
    }
}

impl<K: Kind> From<Node<K>> for NodeId {
    fn from(node: Node<K>) -> NodeId {
        node.id
    }
}

/// The node, if it is of that kind.
impl<K: Kind> TryFrom<NodeId> for Node<K> {
    /// The node.
    type Error = NodeId;
    fn try_from(id: NodeId) -> Result<Self, NodeId> {
        if id.kind == K::KIND { Ok(Node::new(id)) } else { Err(id) }
    }
}

impl<K: Kind> Clone for Node<K> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<K: Kind> Copy for Node<K> {}
impl<K: Kind> PartialEq for Node<K> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}
impl<K: Kind> Eq for Node<K> {}
impl<K: Kind> Hash for Node<K> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}
impl<K: Kind> fmt::Debug for Node<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NodeId { graph, place, kind } = self.id;
        write!(f, "{kind:?}Node({place} of graph {graph})")
    }
}

/// A kind of node, as a type. Sealed.
pub trait Kind: sealed::Sealed + 'static {
    /// The same as a value.
    const KIND: NodeKind;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! kinds {
    ($($(#[$meta:meta])* $kind:ident $node:ident;)*) => {
        /// The kinds of [`Node`](super::Node)s.
        pub mod kind {
            use super::{Kind, NodeKind, sealed::Sealed};
            $(
                $(#[$meta])*
                #[derive(Clone, Copy, Debug)]
                pub enum $kind {}
                impl Sealed for $kind {}
                impl Kind for $kind {
                    const KIND: NodeKind = NodeKind::$kind;
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
    /// Calls a function of the host.
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
}
