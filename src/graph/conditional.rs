//! Nodes that run graphs of their own or not, or again and again, as a number on the device says.
#![allow(unsafe_code, reason = "calls the driver")]

use super::GraphBuilder;
use super::node::{ConditionalNode, NodeId};
use super::raw::node_params;
use super::refusals;
use crate::args::KernelArg;
use crate::args::sealed::Operand;
use crate::brand::Brand;
use crate::call::{Answer, name};
use crate::error::{Error, Result};
use crate::kernel::{Accepted, ConditionHandle, opaque};
use crate::memory::InScope;
use crate::memory::access::Access;
use crate::memory::uses::Tracked;
use crate::ops::Slot;
use ffi::{
    CU_GRAPH_COND_TYPE_IF, CU_GRAPH_COND_TYPE_SWITCH, CU_GRAPH_COND_TYPE_WHILE,
    CU_GRAPH_NODE_TYPE_CONDITIONAL, CUDA_CONDITIONAL_NODE_PARAMS, CUgraph,
    CUgraphConditionalHandle, CUgraphConditionalNodeType, CUgraphNodeParams,
};
use static_assertions::assert_not_impl_any;
use std::{fmt, ptr};

/// A number on the device that kernels of one graph set, and one conditional node of it reads.
///
/// [`GraphBuilder::condition`] returns one. `&mut condition` is an argument of kernels in the same graph, which receive a
/// `cudaGraphConditionalHandle`, and set the number by `cudaGraphSetConditional(handle, value)`. In the signature of a typed
/// kernel, [`ConditionHandle`] stands for it. Kernels that take one condition run one after the other, and the node that
/// reads it runs after them, as if it were memory that they write.
#[must_use = "a graph with a condition that no node reads cannot be instantiated"]
pub struct Condition<'s> {
    number: CUgraphConditionalHandle,
    uses: Tracked,
    _s: Brand<'s>,
}
assert_not_impl_any!(Condition<'static>: Send, Sync, Clone);

#[diagnostic::do_not_recommend]
impl Operand for &mut Condition<'_> {
    type Parameter = u64;
    const COMPARES: bool = true;
    #[inline]
    fn parameter(&self) -> u64 {
        self.number
    }
    #[inline]
    fn access(&self) -> Access<'_> {
        Access::ordered_only(&self.uses, true)
    }
}
#[diagnostic::do_not_recommend]
impl Accepted<ConditionHandle> for &mut Condition<'_> {
    opaque!("a condition");
}
impl<'s> KernelArg<'_, InScope<'s>> for &mut Condition<'s> {}

/// The largest number of graphs of a node. The driver has no limit, but takes seconds for millions of graphs and minutes for
/// more ([F603](crate::driver_facts#F603)).
const MOST_GRAPHS: u32 = 1 << 16;

const ADD: &str = name!(cuGraphAddNode_v2);
const CREATE: &str = name!(cuGraphConditionalHandleCreate);

/// Leaves the graph of a conditional node, also if the closure that adds to it panics.
struct Inside<'a, 's, 'env, 'ctx> {
    builder: &'a GraphBuilder<'s, 'env, 'ctx>,
    before: usize,
}

impl Drop for Inside<'_, '_, '_, '_> {
    #[inline]
    fn drop(&mut self) {
        self.builder.nodes.borrow_mut().leave(self.before);
    }
}

/// # Conditional nodes
///
/// A conditional node has graphs of its own. It runs one of them or none, once or again and again, as a number on the
/// device says, so that the host need not wait and look. A kernel sets the number, which a [`Condition`] stands for:
/// before the node, in the node's graphs, or both.
///
/// Nodes that you add with the builder while the closure of a conditional node runs go into the graph of that node. It may hold
/// kernels, copies, fills, child graphs and conditional nodes ([F524](crate::driver_facts#F524)). Everything is ordered by the
/// memory that it uses, in there and around (invariant [`nodes-ordered`](crate::soundness#nodes-ordered)): the conditional
/// node runs after all nodes outside that use the memory before, and before those that use it later. The passes of
/// a loop run one after the other.
///
/// Nodes inside can be changed and switched off in the finished graph, as others can. A graph with conditional nodes
/// cannot be copied or be a child graph ([F523](crate::driver_facts#F523)). The driver has to be of CUDA 12.3 or newer, and
/// of 12.8 for [`if_else_node`](Self::if_else_node) and [`switch_node`](Self::switch_node).
impl<'s> GraphBuilder<'s, '_, '_> {
    /// Declares a condition, which is `first` at the beginning of each replay. One conditional node has to read it.
    ///
    /// # Errors
    /// [`NeedsDriver`](Error::NeedsDriver); a driver error.
    ///
    /// # Examples
    /// A loop of which the device decides how often it runs:
    ///
    /// ```
    /// # use cuscope::{Context, ContextFlags, ContextStack, Device, LaunchConfig, Result};
    /// # use cuscope::kernel::ConditionHandle;
    /// # fn main() -> Result {
    /// # let context = Context::create(Device::get(0)?, ContextFlags::default())?;
    /// # let mut stack = ContextStack::current_thread()?;
    /// # let gpu = stack.push(&context)?;
    /// // Halves a number, and says whether it is still greater than 1.
    /// let module = gpu.load_ptx(
    ///     ".version 7.8
    ///     .target sm_52
    ///     .address_size 64
    ///     .extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);
    ///     .visible .entry halve(.param .u64 number, .param .u64 condition)
    ///     {
    ///         .reg .u64 %at, %handle; .reg .u32 %n, %more; .reg .pred %p;
    ///         ld.param.u64 %at, [number];
    ///         ld.param.u64 %handle, [condition];
    ///         cvta.to.global.u64 %at, %at;
    ///         ld.global.u32 %n, [%at];
    ///         shr.u32 %n, %n, 1;
    ///         st.global.u32 [%at], %n;
    ///         setp.gt.u32 %p, %n, 1;
    ///         selp.u32 %more, 1, 0, %p;
    ///         { .param .b64 h; .param .b32 v;
    ///           st.param.b64 [h], %handle; st.param.b32 [v], %more;
    ///           call cudaGraphSetConditional, (h, v); }
    ///         ret;
    ///     }",
    /// )?;
    /// let halve = module.kernel::<(&mut [u32], ConditionHandle)>("halve")?;
    /// let stream = gpu.stream()?;
    /// let mut number = gpu.on(&stream).from_slice(&[1000_u32])?;
    /// let (graph, ()) = gpu.build_graph(|g| {
    ///     let mut number = g.hold(&mut number);
    ///     let more = g.condition(1)?;
    ///     g.while_node(&[], more, |more| {
    ///         let one = LaunchConfig::new(1, 1);
    ///         // SAFETY: the kernel uses one element, from one thread.
    ///         unsafe { g.kernel_unchecked(&[], &halve, one, (&mut number, more)) }.map(drop)
    ///     })?;
    ///     Ok(())
    /// })?;
    /// gpu.on(&stream).replay(&graph, &mut number)?;
    /// assert_eq!(gpu.on(&stream).to_vec(&number)?, [1]);
    /// # Ok(()) }
    /// ```
    #[doc(alias = "cuGraphConditionalHandleCreate")]
    #[inline]
    pub fn condition(&self, first: u32) -> Result<Condition<'s>> {
        let declare = || {
            self.record.failed()?;
            let (graph, context) = (self.nodes.borrow().graph(), self.gpu.context().raw());
            let (mut number, again) = (0, ffi::CU_GRAPH_COND_ASSIGN_DEFAULT);
            let create = ffi::cuGraphConditionalHandleCreate()?;
            let to = &raw mut number;
            // SAFETY: the graph is alive as long as its builder, and the context is alive; writes one number. No context
            // need be current (F520).
            Answer::new(CREATE, unsafe { create(to, graph, context, first, again) }).check()?;
            self.record.resources.borrow_mut().condition();
            self.unread.set(self.unread.get() + 1);
            Ok(Condition { number, uses: Tracked::default(), _s: Brand::new() })
        };
        self.record.note(declare())
    }

    /// Adds a node that runs a graph if the condition is not 0.
    ///
    /// The closure adds the nodes of that graph, with this builder.
    ///
    /// # Errors
    /// The error of the closure; [`InvalidArgument`](Error::InvalidArgument) for a node of another graph, and in the
    /// closure for a node that the graph may not hold; [`NeedsDriver`](Error::NeedsDriver); a driver error. The graph fails
    /// then, as if any other node could not be added.
    #[doc(alias = "CU_GRAPH_COND_TYPE_IF")]
    pub fn if_node(
        &self,
        after: &[NodeId],
        condition: Condition<'s>,
        then: impl FnOnce(&mut Condition<'s>) -> Result,
    ) -> Result<ConditionalNode> {
        self.conditional(after, condition, CU_GRAPH_COND_TYPE_IF, 1, once(then))
    }

    /// Adds a node that runs one graph if the condition is not 0, and another one if it is.
    ///
    /// # Errors
    /// The errors of [`if_node`](Self::if_node).
    #[doc(alias = "CU_GRAPH_COND_TYPE_IF")]
    pub fn if_else_node(
        &self,
        after: &[NodeId],
        condition: Condition<'s>,
        then: impl FnOnce(&mut Condition<'s>) -> Result,
        otherwise: impl FnOnce(&mut Condition<'s>) -> Result,
    ) -> Result<ConditionalNode> {
        let (mut then, mut otherwise) = (once(then), once(otherwise));
        self.conditional(after, condition, CU_GRAPH_COND_TYPE_IF, 2, |which, condition| {
            if which == 0 { then(which, condition) } else { otherwise(which, condition) }
        })
    }

    /// Adds a node that runs a graph again and again as long as the condition is not 0. It looks before each pass, so a
    /// condition that is 0 at first runs nothing. In a loop around this one, the condition is as the pass before left it: set
    /// it by a kernel before the node.
    ///
    /// A replay in which the condition never becomes 0 never ends, nor does what waits for it.
    ///
    /// # Errors
    /// The errors of [`if_node`](Self::if_node).
    #[doc(alias = "CU_GRAPH_COND_TYPE_WHILE")]
    pub fn while_node(
        &self,
        after: &[NodeId],
        condition: Condition<'s>,
        body: impl FnOnce(&mut Condition<'s>) -> Result,
    ) -> Result<ConditionalNode> {
        self.conditional(after, condition, CU_GRAPH_COND_TYPE_WHILE, 1, once(body))
    }

    /// Adds a node that runs the graph with the number of the condition: the first one for 0, and none if there are not so
    /// many. The closure is called for each graph, with its number. A node has at most 65,536 graphs: the driver takes more,
    /// and seconds for millions ([F603](crate::driver_facts#F603)).
    ///
    /// # Errors
    /// The errors of [`if_node`](Self::if_node), [`InvalidArgument`](Error::InvalidArgument) also for more than 65,536 graphs;
    /// `CUDA_ERROR_INVALID_VALUE` for no graphs.
    #[doc(alias = "CU_GRAPH_COND_TYPE_SWITCH")]
    pub fn switch_node(
        &self,
        after: &[NodeId],
        condition: Condition<'s>,
        graphs: u32,
        case: impl FnMut(u32, &mut Condition<'s>) -> Result,
    ) -> Result<ConditionalNode> {
        self.conditional(after, condition, CU_GRAPH_COND_TYPE_SWITCH, graphs, case)
    }

    fn conditional(
        &self,
        after: &[NodeId],
        mut condition: Condition<'s>,
        kind: CUgraphConditionalNodeType,
        size: u32,
        mut fill: impl FnMut(u32, &mut Condition<'s>) -> Result,
    ) -> Result<ConditionalNode> {
        let mut add = || {
            if size > MOST_GRAPHS {
                let reason = format!(
                    "a conditional node has at most 65,536 graphs, and {size} were requested: divide the cases among \
                     several nodes"
                );
                return Err(Error::InvalidArgument { call: ADD, reason: reason.into() });
            }
            let reads = [Access::ordered_only(&condition.uses, false)];
            let places = self.places_behind(ADD, after, Vec::new(), &reads)?;
            let before = self.nodes.borrow().at(&places);
            let mut params = params(condition.number, kind, size, self.gpu.context().raw());
            let add = ffi::cuGraphAddNode_v2()?;
            let node: ConditionalNode = self
                .add(&before, |Slot { node, graph, before, count }| {
                    let (data, params) = (ptr::null(), &raw mut params);
                    // SAFETY: the graph is alive as long as its builder, the nodes before are of it, each once, and the new one
                    // is written to a place that is valid for it. The context is alive. No context need be current.
                    Answer::new(ADD, unsafe { add(node, graph, before, data, count, params) })
                })
                .map_err(|error| error.because(|_| refusals::conditional(size)))?;
            self.nodes.borrow_mut().is_conditional(&places);
            self.unread.set(self.unread.get() - 1);
            // SAFETY: the node is a conditional one, so this member is the one that was written.
            let graphs = unsafe { params.anonymous.conditional }.phGraph_out;
            // SAFETY: the driver has written where as many graphs are as were asked for. They live as long as the node.
            let graphs: &[CUgraph] = unsafe { std::slice::from_raw_parts(graphs, size as usize) };
            for (which, &graph) in (0..).zip(graphs) {
                let before = self.nodes.borrow_mut().enter(graph, node.id().place);
                let _inside = Inside { builder: self, before };
                fill(which, &mut condition)?;
            }
            Ok(node)
        };
        self.record.note(add())
    }

    /// Checks that a node reads each condition.
    ///
    /// # Errors
    /// [`InvalidArgument`](Error::InvalidArgument)
    #[inline]
    pub(super) fn all_read(&self) -> Result {
        if self.unread.get() == 0 {
            return Ok(());
        }
        let reason = "no node reads a condition of this graph: pass it to `if_node`, `while_node` or `switch_node`";
        Err(Error::InvalidArgument { call: CREATE, reason: reason.into() })
    }
}

/// Makes a closure that is called once one that is called for each graph.
fn once<'s>(
    fill: impl FnOnce(&mut Condition<'s>) -> Result,
) -> impl FnMut(u32, &mut Condition<'s>) -> Result {
    let mut fill = Some(fill);
    move |_, condition| fill.take().map_or(Ok(()), |fill| fill(condition))
}

/// Returns the parameters of a conditional node.
#[inline]
fn params(
    handle: CUgraphConditionalHandle,
    kind: CUgraphConditionalNodeType,
    size: u32,
    ctx: ffi::CUcontext,
) -> CUgraphNodeParams {
    let mut params = node_params(CU_GRAPH_NODE_TYPE_CONDITIONAL);
    params.anonymous.conditional = CUDA_CONDITIONAL_NODE_PARAMS {
        handle,
        r#type: kind,
        size,
        phGraph_out: ptr::null_mut(),
        ctx,
    };
    params
}

impl fmt::Debug for Condition<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Condition({})", self.number)
    }
}
