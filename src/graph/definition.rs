//! Graphs that are not made ready to run yet.

use super::build::Unfinished;
use super::raw::Template;
use super::regions::Regions;
use super::resources::GraphResources;
use super::{Capture, DotFlags, Graph, GraphBuilder, NodeId};
use crate::brand::{Brand, never};
use crate::call::{name, same_context};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::stack::PushedGuard;
use crate::stream::Stream;
use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::fmt;

/// A graph that was captured or built, and is not ready to run.
///
/// [`PushedGuard::define_graph`](crate::PushedGuard::define_graph) and
/// [`PushedGuard::capture_definition`](crate::PushedGuard::capture_definition) return one. It is a value to store, to
/// send to another thread, and to [instantiate](Self::instantiate) as often as you like: each [`Graph`] of it runs
/// beside the others. It owns what its graphs own (invariant [`graph-owns`](crate::soundness#graph-owns)), and they
/// outlive it.
///
/// All its graphs name the same buffers. For a graph with other buffers, run the closure that defines it with these:
/// keep the closure, not the definition, or [rebuild](crate::PushedGuard::rebuild_graph) an instance, which the driver
/// updates in place.
///
/// # Examples
/// ```
/// # use cuscope::{Context, ContextStack, Device, DeviceBuffer, PushedGuard, Result, graph::GraphDefinition};
/// /// Work that is defined for any buffers.
/// fn define<'ctx>(
///     gpu: &PushedGuard<'ctx>,
///     x: &DeviceBuffer<'ctx, u32>,
///     y: &mut DeviceBuffer<'ctx, u32>,
/// ) -> Result<GraphDefinition<'ctx>> {
///     Ok(gpu.define_graph(|g| g.copy(&[], x, &mut g.hold(y)))?.0)
/// }
///
/// # fn main() -> Result {
/// # let context = Context::primary(Device::get(0)?)?;
/// # let mut stack = ContextStack::current_thread()?;
/// # let gpu = stack.push(&context)?;
/// let stream = gpu.stream()?;
/// let x = gpu.on(&stream).from_slice(&[1, 2])?;
/// let (mut y, mut z) = (gpu.alloc(2)?, gpu.alloc(2)?);
/// let to_y = define(&gpu, &x, &mut y)?;
/// let (first, second) = (to_y.instantiate(&gpu)?, to_y.instantiate(&gpu)?);
/// let other = define(&gpu, &x, &mut z)?.into_graph(&gpu)?; // with other buffers
/// gpu.on(&stream).replay(&first, (&x, &mut y))?;
/// gpu.on(&stream).replay(&second, (&x, &mut y))?;
/// gpu.on(&stream).replay(&other, (&x, &mut z))?;
/// assert_eq!(gpu.on(&stream).to_vec(&z)?, [1, 2]);
/// # Ok(()) }
/// ```
#[must_use = "a definition does nothing until it is instantiated and replayed"]
pub struct GraphDefinition<'ctx> {
    pub(crate) inner: DefinitionInner,
    pub(crate) _brand: Brand<'ctx>,
}
assert_impl_all!(GraphDefinition<'static>: Send);
never! { Sync, as OneThreadAtATime: ['ctx] GraphDefinition<'ctx>, 'ctx; }
assert_not_impl_any!(GraphDefinition<'static>: Sync);

/// The order of the fields is that of their release.
pub(crate) struct DefinitionInner {
    pub(super) template: Template,
    /// `None` if it was captured.
    nodes: Option<Regions>,
    pub(super) resources: GraphResources,
    pub(super) context: Context,
}

/// # Graphs: definitions
impl<'ctx> PushedGuard<'ctx> {
    /// Builds a graph node by node, as [`build_graph`](Self::build_graph) does, and does not make it ready to run.
    ///
    /// Returns the definition and the value that the closure returns.
    ///
    /// # Errors
    /// The errors of [`build_graph`](Self::build_graph).
    #[doc(alias = "cuGraphCreate")]
    pub fn define_graph<'env, R>(
        &'env self,
        f: impl for<'s> FnOnce(&'s GraphBuilder<'s, 'env, 'ctx>) -> Result<R>,
    ) -> Result<(GraphDefinition<'ctx>, R)> {
        self.try_define_graph(f)
    }

    /// [`define_graph`](Self::define_graph) for a closure with another error type, as
    /// [`try_scope`](Self::try_scope) is for [`scope`](Self::scope).
    ///
    /// # Errors
    /// The errors of [`build_graph`](Self::build_graph).
    pub fn try_define_graph<'env, R, E: From<Error>>(
        &'env self,
        f: impl for<'s> FnOnce(&'s GraphBuilder<'s, 'env, 'ctx>) -> Result<R, E>,
    ) -> Result<(GraphDefinition<'ctx>, R), E> {
        let (graph, value) = self.built(f)?;
        Ok((GraphDefinition::unfinished(self, graph), value))
    }

    /// Captures a graph, as [`capture`](Self::capture) does, and does not make it ready to run.
    ///
    /// # Errors
    /// The errors of [`capture`](Self::capture).
    #[doc(alias = "cuStreamBeginCapture")]
    #[doc(alias = "cuStreamEndCapture")]
    pub fn capture_definition<'env>(
        &'env self,
        stream: &'env mut Stream<'ctx>,
        f: impl for<'s> FnOnce(&'s Capture<'s, 'env, 'ctx>) -> Result,
    ) -> Result<GraphDefinition<'ctx>> {
        self.try_capture_definition(stream, f)
    }

    /// [`capture_definition`](Self::capture_definition) for a closure with another error type, as
    /// [`try_scope`](Self::try_scope) is for [`scope`](Self::scope).
    ///
    /// # Errors
    /// The errors of [`capture`](Self::capture).
    pub fn try_capture_definition<'env, E: From<Error>>(
        &'env self,
        stream: &'env mut Stream<'ctx>,
        f: impl for<'s> FnOnce(&'s Capture<'s, 'env, 'ctx>) -> Result<(), E>,
    ) -> Result<GraphDefinition<'ctx>, E> {
        let (template, resources) = self.template(stream, f)?;
        Ok(GraphDefinition::new(self, template, None, resources))
    }
}

impl<'ctx> GraphDefinition<'ctx> {
    #[inline]
    fn new(
        gpu: &PushedGuard<'ctx>,
        template: Template,
        nodes: Option<Regions>,
        resources: GraphResources,
    ) -> Self {
        let inner = DefinitionInner { template, nodes, resources, context: gpu.context().clone() };
        GraphDefinition { inner, _brand: Brand::new() }
    }

    #[inline]
    fn unfinished(gpu: &PushedGuard<'ctx>, graph: Unfinished) -> Self {
        let Unfinished { template, nodes, resources } = graph;
        GraphDefinition::new(gpu, template, Some(nodes), resources)
    }

    /// Adds nodes to the definition, also to one that was captured.
    ///
    /// Returns the definition and the value that the closure returns. The nodes that were there keep their names. Graphs that
    /// were made of the definition before stay as they are. If this fails, the definition is gone.
    ///
    /// Which memory the earlier nodes use is no longer known: a new node that uses memory runs after all of them. Further
    /// new nodes are ordered as in [`build_graph`](PushedGuard::build_graph). The graphs of earlier conditional nodes cannot
    /// be added to.
    ///
    /// # Errors
    /// The errors of [`build_graph`](PushedGuard::build_graph); [`OtherContext`](Error::OtherContext).
    ///
    /// # Examples
    /// ```
    /// # use cuscope::{Context, ContextStack, Device};
    /// # fn main() -> cuscope::Result {
    /// # let context = Context::primary(Device::get(0)?)?;
    /// # let mut stack = ContextStack::current_thread()?;
    /// # let gpu = stack.push(&context)?;
    /// let stream = gpu.stream()?;
    /// let (mut x, mut y) = (gpu.alloc::<u32>(4)?, gpu.alloc::<u32>(4)?);
    /// let (definition, fill) = gpu.define_graph(|g| g.fill(&[], &mut g.hold(&mut x), 7))?;
    /// // Later: the copy comes after the fill.
    /// let (mut definition, _) = definition.extend(&gpu, |g| g.copy(&[], &x, &mut g.hold(&mut y)))?;
    /// definition.set_fill(fill, 8_u32)?;
    /// let graph = definition.into_graph(&gpu)?;
    /// gpu.on(&stream).replay(&graph, (&mut x, &mut y))?;
    /// assert_eq!(gpu.on(&stream).to_vec(&y)?, [8; 4]);
    /// # Ok(()) }
    /// ```
    pub fn extend<'env, R>(
        self,
        gpu: &'env PushedGuard<'ctx>,
        f: impl for<'s> FnOnce(&'s GraphBuilder<'s, 'env, 'ctx>) -> Result<R>,
    ) -> Result<(Self, R)> {
        self.try_extend(gpu, f)
    }

    /// [`extend`](Self::extend) for a closure with another error type, as [`PushedGuard::try_scope`] is for
    /// [`PushedGuard::scope`].
    ///
    /// # Errors
    /// The errors of [`extend`](Self::extend).
    pub fn try_extend<'env, R, E: From<Error>>(
        self,
        gpu: &'env PushedGuard<'ctx>,
        f: impl for<'s> FnOnce(&'s GraphBuilder<'s, 'env, 'ctx>) -> Result<R, E>,
    ) -> Result<(Self, R), E> {
        same_context(name!(cuGraphAddEmptyNode), self.context() == gpu.context())?;
        let DefinitionInner { template, nodes, resources, .. } = self.inner;
        let nodes = match nodes {
            Some(nodes) => nodes,
            None => Regions::of(template.raw(), template.nodes()?),
        };
        let (graph, value) = gpu.built_on(Unfinished { template, nodes, resources }, f)?;
        Ok((GraphDefinition::unfinished(gpu, graph), value))
    }

    /// Makes a graph ready to run, from a copy of the definition. [`Graph::copy_of`] finds its nodes.
    ///
    /// # Errors
    /// The errors of [`Graph::try_clone`]: there cannot be several graphs with
    /// [`scratch`](crate::Capture::scratch) memory or with nodes that allocate. Make
    /// [one](Self::into_graph) of them.
    #[doc(alias = "cuGraphInstantiate")]
    #[doc(alias = "cuGraphClone")]
    #[doc(alias = "cudaGraphInstantiate")]
    #[inline]
    pub fn instantiate(&self, gpu: &PushedGuard<'ctx>) -> Result<Graph<'ctx>> {
        const CALL: &str = name!(cuGraphClone);
        same_context(CALL, self.context() == gpu.context())?;
        self.inner.resources.copyable(CALL)?;
        Graph::copied(gpu, &self.inner.template, &self.inner.resources)
    }

    /// Makes the graph ready to run. The nodes of the definition are its nodes. If this fails, the definition is gone.
    ///
    /// # Errors
    /// [`OtherContext`](Error::OtherContext); [`NotCurrent`](Error::NotCurrent); a driver error.
    #[doc(alias = "cuGraphInstantiate")]
    #[inline]
    pub fn into_graph(self, gpu: &PushedGuard<'ctx>) -> Result<Graph<'ctx>> {
        same_context(name!(cuGraphInstantiateWithFlags), self.context() == gpu.context())?;
        let DefinitionInner { template, resources, .. } = self.inner;
        Graph::ready(gpu, template, resources)
    }

    /// Returns the context.
    #[must_use]
    #[inline]
    pub fn context(&self) -> &Context {
        &self.inner.context
    }

    /// Returns the number of buffers that you pass to a replay: [`Graph::buffers`].
    #[must_use]
    #[inline]
    pub fn buffers(&self) -> usize {
        self.inner.resources.named()
    }

    /// Returns the number of nodes: [`Graph::nodes`].
    ///
    /// # Errors
    /// A driver error.
    #[doc(alias = "cuGraphGetNodes")]
    #[inline]
    pub fn nodes(&self) -> Result<usize> {
        self.inner.template.count()
    }

    /// Returns all nodes: [`Graph::list_nodes`].
    ///
    /// # Errors
    /// A driver error.
    #[doc(alias = "cuGraphGetNodes")]
    #[doc(alias = "cuGraphNodeGetType")]
    #[inline]
    pub fn list_nodes(&self) -> Result<Vec<NodeId>> {
        self.inner.template.list()
    }

    /// Returns the number of edges: [`Graph::edges`].
    ///
    /// # Errors
    /// A driver error.
    #[doc(alias = "cuGraphGetEdges")]
    #[inline]
    pub fn edges(&self) -> Result<usize> {
        self.inner.template.edges()
    }

    /// Returns the graph in the language of Graphviz: [`Graph::dot`].
    ///
    /// # Errors
    /// The errors of [`Graph::dot`].
    #[doc(alias = "cuGraphDebugDotPrint")]
    #[inline]
    pub fn dot(&self, flags: DotFlags) -> Result<String> {
        self.inner.template.dot(flags)
    }
}

impl fmt::Debug for GraphDefinition<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let graph = self.inner.template.raw();
        let buffers = self.buffers();
        write!(f, "GraphDefinition({graph:p} of {buffers} buffers, {:?})", self.context())
    }
}
