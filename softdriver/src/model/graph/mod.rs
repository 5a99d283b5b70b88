//! Graphs: made node by node or by a capture, and run as a whole.

pub(crate) mod add;
pub(crate) mod batch;
pub(crate) mod child;
pub(crate) mod conditional;
pub(crate) mod difference;
pub(crate) mod exec;
pub(crate) mod memory;
pub(crate) mod node;
pub(crate) mod query;
pub(crate) mod user_object;

pub(crate) use node::Node;
pub(crate) use node::Work;

use crate::entry::Answer;
use crate::model::graph::memory::Memory;
use crate::registry::Registry;
use crate::sync;
use cuscope_sys::*;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};

/// Graphs.
pub(crate) static HANDLES: LazyLock<Registry<Graph>> = LazyLock::new(|| Registry::new(0x46));

/// A graph under construction.
#[derive(Default)]
pub(crate) struct Graph {
    pub(crate) inner: Mutex<Inner>,
    /// The copies of another graph's nodes, by the handles of these.
    pub(crate) copies: HashMap<usize, usize>,
    /// Whether it belongs to a capture that goes on.
    captured: AtomicBool,
    /// Whether it is that of a child graph node.
    pub(crate) child: bool,
    /// Whether it is one of a conditional node.
    pub(crate) body: bool,
    /// The numbers that conditional nodes read, there and in the graphs of these nodes.
    pub(crate) declarations: Arc<conditional::Declarations>,
    /// Whether something was instantiated of it, until that ends, if there may be one at a time.
    pub(crate) instantiated: Arc<AtomicBool>,
    /// The objects that it keeps alive.
    pub(crate) objects: Mutex<user_object::Objects>,
}

/// The nodes and edges of a graph.
#[derive(Default)]
pub(crate) struct Inner {
    /// By their handles, which grow in the order in which they were added.
    pub(crate) nodes: BTreeMap<usize, Node>,
    /// The memory that nodes free, by its address.
    freed: BTreeMap<u64, Arc<Memory>>,
    /// Whether a node allocates or frees.
    allocates: bool,
    /// Whether a node is a conditional one.
    chooses: bool,
}

impl Inner {
    fn add(&mut self, node: Node) {
        match &*node.work {
            Work::Alloc(memory) => {
                memory.allocated_by(node.handle);
                self.allocates = true;
            }
            Work::Free(memory) => {
                self.freed.insert(memory.address(), memory.clone());
                self.allocates = true;
            }
            Work::Conditional(_) => self.chooses = true,
            _ => {}
        }
        self.nodes.insert(node.handle, node);
    }
}

/// The graphs that nodes are in, by the handles of the nodes.
pub(crate) static GRAPHS: Mutex<BTreeMap<usize, Weak<Graph>>> = Mutex::new(BTreeMap::new());

impl Drop for Inner {
    fn drop(&mut self) {
        let mut graphs = sync::lock(&GRAPHS);
        for handle in self.nodes.keys() {
            graphs.remove(handle);
        }
    }
}

impl Graph {
    /// Gives a graph a handle.
    pub(crate) fn insert(self) -> (usize, Arc<Self>) {
        let (handle, graph) = HANDLES.insert(|_| self);
        let nodes = graph.handles().into_iter().map(|node| (node, Arc::downgrade(&graph)));
        sync::lock(&GRAPHS).extend(nodes);
        (handle, graph)
    }

    /// An empty graph of a capture, and its handle.
    pub(crate) fn of_capture() -> (usize, Arc<Self>) {
        Self { captured: AtomicBool::new(true), ..Self::default() }.insert()
    }

    /// Whether it belongs to a capture that goes on.
    pub(crate) fn captured(&self) -> bool {
        self.captured.load(Ordering::Acquire)
    }

    /// Whether it belongs to a node of another one, which may be a conditional one.
    pub(crate) fn is_of_node(&self) -> bool {
        self.child || self.body
    }

    /// Gives it to a capture, which adds to it.
    pub(crate) fn capture(&self) -> Answer {
        match self.captured.swap(true, Ordering::AcqRel) {
            true => Err(CUDA_ERROR_ILLEGAL_STATE),
            false => Ok(()),
        }
    }

    /// Hands it to the program: its capture has ended.
    pub(crate) fn release(&self) {
        self.captured.store(false, Ordering::Release);
    }

    /// Adds a node after others of this graph, and gives its handle.
    pub(crate) fn add(self: &Arc<Self>, node: Node) -> usize {
        let handle = node.handle;
        sync::lock(&GRAPHS).insert(handle, Arc::downgrade(self));
        sync::lock(&self.inner).add(node);
        handle
    }

    /// Takes a node out again, which was only just added.
    pub(crate) fn remove(&self, handle: usize) {
        sync::lock(&GRAPHS).remove(&handle);
        let _node = sync::lock(&self.inner).nodes.remove(&handle);
    }

    /// Whether no copy of it is made: it allocates (F213), or has conditional nodes (F523).
    pub(crate) fn is_single(&self) -> bool {
        let inner = sync::lock(&self.inner);
        inner.allocates || inner.chooses
    }

    /// A copy with nodes of its own; NOT_SUPPORTED if none is made.
    pub(crate) fn copied(&self) -> Answer<Self> {
        if self.is_single() {
            return Err(CUDA_ERROR_NOT_SUPPORTED);
        }
        let nodes = self.nodes();
        let copied: Vec<_> = nodes.iter().map(Node::copied).collect();
        let handles = nodes.iter().zip(&copied).map(|(node, copy)| (node.handle, copy.handle));
        let copies: HashMap<_, _> = handles.collect();
        let mut inner = Inner::default();
        for mut copy in copied {
            let before = copy.before.iter().filter_map(|old| copies.get(old).copied());
            copy.before = before.collect();
            let data = copy.data.iter().filter_map(|(old, data)| Some((*copies.get(old)?, *data)));
            copy.data = data.collect();
            inner.add(copy);
        }
        let objects = Mutex::new(self.objects());
        Ok(Graph { inner: Mutex::new(inner), copies, objects, ..Graph::default() })
    }

    /// Whether a node is a conditional one.
    pub(crate) fn chooses(&self) -> bool {
        sync::lock(&self.inner).chooses
    }

    /// Whether a node allocates or frees.
    pub(crate) fn allocates(&self) -> bool {
        sync::lock(&self.inner).allocates
    }

    /// Whether a node frees the memory that is at the address.
    pub(crate) fn frees(&self, address: u64) -> bool {
        let inner = sync::lock(&self.inner);
        let below = inner.freed.range(..=address).next_back();
        below.is_some_and(|(_, memory)| memory.holds(address, 1))
    }

    /// INVALID_VALUE for memory that a node frees: nothing more is added that uses it (F213).
    pub(crate) fn names(&self, address: u64) -> Answer {
        if self.frees(address) { Err(CUDA_ERROR_INVALID_VALUE) } else { Ok(()) }
    }

    /// Its nodes, in the order in which they were added.
    pub(crate) fn nodes(&self) -> Vec<Node> {
        sync::lock(&self.inner).nodes.values().cloned().collect()
    }

    /// The handles of its nodes, in the same order.
    pub(crate) fn handles(&self) -> Vec<usize> {
        sync::lock(&self.inner).nodes.keys().copied().collect()
    }

    /// Whether a node launches a kernel; false without one.
    pub(crate) fn is_kernel(&self, handle: usize) -> bool {
        self.with_node(handle, |node| node.is_kernel()).unwrap_or(false)
    }

    /// Whether it has the node with a handle.
    pub(crate) fn has(&self, handle: usize) -> bool {
        sync::lock(&self.inner).nodes.contains_key(&handle)
    }

    /// Works on the node with a handle; INVALID_VALUE without one.
    pub(crate) fn with_node<R>(&self, handle: usize, f: impl FnOnce(&mut Node) -> R) -> Answer<R> {
        let mut inner = sync::lock(&self.inner);
        inner.nodes.get_mut(&handle).map(f).ok_or(CUDA_ERROR_INVALID_VALUE)
    }

    /// Whether all of `nodes` are among `ends` or before one of them.
    pub(crate) fn reaches(&self, ends: &[usize], mut nodes: impl Iterator<Item = usize>) -> bool {
        let all = &sync::lock(&self.inner).nodes;
        let mut reached = HashSet::new();
        let mut next = ends.to_vec();
        while let Some(one) = next.pop() {
            if reached.insert(one) {
                next.extend(all.get(&one).into_iter().flat_map(|node| &node.before));
            }
        }
        nodes.all(|node| reached.contains(&node))
    }
}

/// The graph of a handle; INVALID_VALUE for what is none.
pub(crate) fn find(handle: CUgraph) -> Answer<Arc<Graph>> {
    HANDLES.get(handle.addr()).ok_or(CUDA_ERROR_INVALID_VALUE)
}

/// The graph that the node with a handle is in; INVALID_VALUE for what is none.
pub(crate) fn graph_of(handle: usize) -> Answer<Arc<Graph>> {
    let graph = sync::lock(&GRAPHS).get(&handle).and_then(Weak::upgrade);
    graph.ok_or(CUDA_ERROR_INVALID_VALUE)
}
