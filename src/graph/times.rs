//! How long each node of a graph takes.
#![allow(unsafe_code, reason = "calls the driver")]

use super::raw::Template;
use super::{Graph, GraphBuffers, NodeId, NodeKind};
use crate::call::{answer, name, same_context};
use crate::error::Result;
use crate::event::Event;
use crate::stack::PushedGuard;
use crate::stream::Stream;
use ffi::{CUDA_KERNEL_NODE_PARAMS, CUgraphNode};
use static_assertions::assert_impl_all;
use std::ffi::CStr;
use std::fmt;
use std::mem::MaybeUninit;
use std::ops::Deref;
use std::ptr;
use std::time::Duration;

/// How long a node took, from [`NodeTimes`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NodeTime {
    /// The node.
    pub node: NodeId,
    /// The name of the kernel that it launches, mangled if it is a C++ name. `None` for other nodes, and before CUDA
    /// 12.3.
    pub kernel: Option<String>,
    /// The time from the end of the node before it to its own end.
    pub time: Duration,
}

/// The time of each node of a graph, in the order of [`Graph::list_nodes`], from
/// [`PushedGuard::time_nodes`](crate::PushedGuard::time_nodes).
///
/// It prints as a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeTimes {
    nodes: Box<[NodeTime]>,
}
assert_impl_all!(NodeTimes: Send, Sync);

impl NodeTimes {
    /// Returns the sum of all times: that of the graph if its nodes run one after the other.
    #[must_use]
    #[inline]
    pub fn total(&self) -> Duration {
        self.nodes.iter().map(|node| node.time).sum()
    }
}

impl Deref for NodeTimes {
    type Target = [NodeTime];
    fn deref(&self) -> &[NodeTime] {
        &self.nodes
    }
}

impl<'t> IntoIterator for &'t NodeTimes {
    type Item = &'t NodeTime;
    type IntoIter = std::slice::Iter<'t, NodeTime>;
    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// A row for each node: its place, its time in microseconds, its part of the total, its kind, and its kernel.
impl fmt::Display for NodeTimes {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = self.total().as_secs_f64();
        writeln!(f, "node       µs      %  kind")?;
        for NodeTime { node, kernel, time } in self {
            let seconds = time.as_secs_f64();
            let part = if total > 0.0 { 100.0 * seconds / total } else { 0.0 };
            write!(f, "{:4} {:8.1} {part:6.1}  {:?}", node.place, 1e6 * seconds, node.kind)?;
            kernel.iter().try_for_each(|name| write!(f, " {name}"))?;
            writeln!(f)?;
        }
        Ok(())
    }
}

/// # Graphs: times of nodes
impl<'ctx> PushedGuard<'ctx> {
    /// Replays a graph once, one node at a time, and returns how long each node took.
    ///
    /// The driver times streams, not nodes. So this replays a copy of the graph with one more edge and one more node
    /// after each of its nodes: the next node waits for it, and an event is recorded there. The table shows where the
    /// time goes, and not how long a replay takes:
    ///
    /// - Nodes that run at the same time in a replay run one after the other here. Kernels do not start early.
    /// - Each time includes the start of the node, and the record of the event: 1 to 4 µs, also for a node that does
    ///   nothing ([F502](crate::driver_facts#F502)).
    /// - A child graph is one node.
    ///
    /// The work is done: the buffers are as after a replay of the graph as it was captured or built, without later
    /// changes such as [`set_fill`](Graph::set_fill), as in a [copy](Graph::try_clone). The first launch of a kernel is slower than
    /// others: replay the graph, or time it, once before. This waits for the [ordered streams](crate::OrderedStream)
    /// that run the graph.
    ///
    /// # Errors
    /// The errors of [`SyncStream::replay`](crate::SyncStream::replay); [`NotCurrent`](crate::Error::NotCurrent);
    /// [`InvalidArgument`](crate::Error::InvalidArgument) for a graph with nodes that allocate or with conditional nodes,
    /// which cannot be copied ([F215](crate::driver_facts#F215), [F523](crate::driver_facts#F523)).
    ///
    /// # Panics
    /// If a [host function](crate::GraphBuilder::host_function) of the graph panics.
    ///
    /// # Examples
    /// ```
    /// # use cuscope::{Context, ContextStack, Device};
    /// # fn main() -> cuscope::Result {
    /// # let context = Context::primary(Device::get(0)?)?;
    /// # let mut stack = ContextStack::current_thread()?;
    /// # let gpu = stack.push(&context)?;
    /// let stream = gpu.stream()?;
    /// let (mut x, mut y) = (gpu.alloc::<u32>(1 << 20)?, gpu.alloc::<u32>(1 << 20)?);
    /// let (mut graph, copy) = gpu.build_graph(|g| {
    ///     let (mut x, mut y) = (g.hold(&mut x), g.hold(&mut y));
    ///     g.fill(&[], &mut x, 1)?;
    ///     g.copy(&[], &x, &mut y)
    /// })?;
    /// let times = gpu.time_nodes(&stream, &mut graph, (&mut x, &mut y))?;
    /// print!("{times}");
    /// let slowest = times.iter().max_by_key(|node| node.time).expect("there are two");
    /// if slowest.node == copy.id() {
    ///     println!("most of the time is spent in the copy");
    /// }
    /// # Ok(()) }
    /// ```
    #[doc(alias = "cuGraphAddEventRecordNode")]
    #[doc(alias = "cuEventElapsedTime")]
    pub fn time_nodes(
        &self,
        stream: &Stream<'ctx>,
        graph: &mut Graph<'ctx>,
        buffers: impl GraphBuffers<'ctx>,
    ) -> Result<NodeTimes> {
        const CALL: &str = name!(cuGraphClone);
        same_context(CALL, graph.context() == self.context())?;
        graph.inner.resources.driver_copies(CALL)?;
        // The copy has the graph's scratch memory, which one run uses at a time.
        graph.inner.in_flight.settle()?;
        let template = &graph.inner.template;
        let (ids, nodes) = (template.list()?, template.nodes()?);
        let kernels = ids.iter().zip(nodes).map(|(id, &node)| kernel_of(id.kind, node));
        let kernels = kernels.collect::<Result<Vec<_>>>()?;
        let (serial, events) = one_by_one(self, template)?;
        // It ends before its events: the replay waits.
        let serial = Graph::ready(self, serial, graph.inner.resources.of_copy())?;
        self.on(stream).replay(&serial, buffers)?;
        let row = |((node, kernel), ends): ((NodeId, _), &[Event<'_>])| {
            Ok(NodeTime { node, kernel, time: ends[1].elapsed_since(&ends[0])? })
        };
        let nodes = ids.into_iter().zip(kernels).zip(events.windows(2)).map(row);
        Ok(NodeTimes { nodes: nodes.collect::<Result<_>>()? })
    }
}

/// Copies a graph so that one node runs at a time, between events: one before the first node, and one after each.
#[inline]
fn one_by_one<'ctx>(
    gpu: &PushedGuard<'ctx>,
    of: &Template,
) -> Result<(Template, Vec<Event<'ctx>>)> {
    let template = of.copy()?;
    let nodes = template.nodes()?;
    let mut events = vec![gpu.event()?];
    let mut records = vec![template.record(&[], &events[0])?];
    for &node in nodes {
        let event = gpu.event()?;
        records.push(template.record(&[node], &event)?);
        events.push(event);
    }
    // Each node is behind the record before it. Edges lead from earlier nodes to later ones, so this makes no circle.
    template.add_edges(&records[..nodes.len()], nodes)?;
    Ok((template, events))
}

impl Template {
    /// Adds a record of an event, behind these of its nodes.
    #[inline]
    fn record(&self, before: &[CUgraphNode], event: &Event<'_>) -> Result<CUgraphNode> {
        let (mut node, before, count) = (ptr::null_mut(), before.as_ptr(), before.len());
        let (to, graph, event) = (&raw mut node, self.raw(), event.raw());
        // SAFETY: the graph and the event are alive, and the nodes are of the graph, each once; writes one handle to
        // `node`, which is valid for it. No context need be current, and captures do not refuse it (F217).
        unsafe { answer!(cuGraphAddEventRecordNode(to, graph, before, count, event)) }.check()?;
        Ok(node)
    }

    /// Adds edges, each from a node of the first list to the one at the same place of the second list.
    #[inline]
    fn add_edges(&self, from: &[CUgraphNode], to: &[CUgraphNode]) -> Result {
        let count = from.len().min(to.len());
        if count == 0 {
            return Ok(());
        }
        let (graph, from, to) = (self.raw(), from.as_ptr(), to.as_ptr());
        // SAFETY: the graph is alive, and all are nodes of it, as many of each; none of these edges is there. No
        // context need be current, and captures do not refuse it (F501).
        unsafe { answer!(cuGraphAddDependencies(graph, from, to, count)) }.result()
    }
}

/// Returns the name of the kernel that a node launches, if it is a kernel node and the driver tells names.
#[inline]
fn kernel_of(kind: NodeKind, node: CUgraphNode) -> Result<Option<String>> {
    let (NodeKind::Kernel, Ok(get)) = (kind, ffi::cuFuncGetName()) else { return Ok(None) };
    let mut params = MaybeUninit::<CUDA_KERNEL_NODE_PARAMS>::zeroed();
    let to = params.as_mut_ptr();
    // SAFETY: the node is a kernel node of a graph that is alive; writes to `params`, which is valid for it.
    unsafe { answer!(cuGraphKernelNodeGetParams_v2(node, to)) }.check()?;
    // SAFETY: zeros are valid parameters, and the driver wrote others.
    let params = unsafe { params.assume_init() };
    let mut name = ptr::null();
    // SAFETY: writes one pointer to `name`, which is valid for it; the graph keeps the function (`graph-owns`); needs
    // no current context (F272).
    unsafe { answer!(cuFuncGetName = get(&raw mut name, params.func)) }.check()?;
    // SAFETY: on success a string that ends in NUL and lives as long as the module.
    Ok(Some(unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned()))
}
