//! Copies of graphs.

use super::raw::{Exec, Template};
use super::resources::GraphResources;
use super::{Graph, GraphInner, Node, OTHER_GRAPH, refusals};
use crate::brand::Brand;
use crate::call::name;
use crate::error::{Error, Result};
use crate::stack::PushedGuard;

impl<'ctx> Graph<'ctx> {
    /// Copies the graph as it was captured or built, without later changes such as
    /// [`set_fill`](Self::set_fill).
    ///
    /// The copy shares the memory, the modules, the events and the functions. You can replay the two graphs in
    /// different streams. Pass the buffers to each replay.
    ///
    /// # Errors
    /// [`InvalidArgument`](Error::InvalidArgument) for a graph with its own
    /// [`scratch`](crate::Capture::scratch) memory, or with nodes that allocate
    /// ([F215](crate::driver_facts#F215)); [`OtherContext`](Error::OtherContext);
    /// [`NotCurrent`](Error::NotCurrent); a driver error.
    #[doc(alias = "cuGraphClone")]
    #[doc(alias = "cuGraphNodeFindInClone")]
    #[inline]
    pub fn try_clone(&self, gpu: &PushedGuard<'ctx>) -> Result<Graph<'ctx>> {
        const CALL: &str = name!(cuGraphClone);
        if self.context() != gpu.context() {
            return Err(Error::OtherContext { call: CALL });
        }
        self.inner.resources.copyable(CALL)?;
        Graph::copied(gpu, &self.inner.template, &self.inner.resources)
    }

    /// Makes a copy of a graph of the guard's context, which can be copied, ready to run.
    #[inline]
    pub(super) fn copied(
        gpu: &PushedGuard<'ctx>,
        template: &Template,
        resources: &GraphResources,
    ) -> Result<Graph<'ctx>> {
        Graph::ready(gpu, template.copy()?, resources.of_copy())
    }

    /// Makes a graph of the guard's context ready to run.
    #[inline]
    pub(super) fn ready(
        gpu: &PushedGuard<'ctx>,
        template: Template,
        resources: GraphResources,
    ) -> Result<Graph<'ctx>> {
        let exec = Exec::new(gpu, &template)?;
        let inner = GraphInner::new(exec, template, resources, gpu.context().clone());
        Ok(Graph { inner, _brand: Brand::new() })
    }

    /// Returns the node of this [copy](Self::try_clone) that corresponds to a node of the copied graph.
    ///
    /// # Errors
    /// [`InvalidArgument`](Error::InvalidArgument) for a node of another graph.
    #[doc(alias = "cuGraphNodeFindInClone")]
    pub fn copy_of<K>(&self, node: Node<K>) -> Result<Node<K>> {
        let template = &self.inner.template;
        if template.copy_of() != Some(node.id().graph) {
            let call = name!(cuGraphNodeFindInClone);
            return Err(refusals::not_made(call, OTHER_GRAPH));
        }
        Ok(node.in_graph(template.id()))
    }
}

impl GraphResources {
    /// # Errors
    /// `InvalidArgument` if there cannot be two graphs of it: runs use its own memory one after the other, as
    /// those of one graph do ([F149](crate::driver_facts#F149)).
    #[inline]
    pub(super) fn copyable(&self, call: &'static str) -> Result {
        if self.has_scratch() {
            let reason =
                "a graph with scratch memory cannot be copied: use a buffer of your own instead";
            return Err(Error::InvalidArgument { call, reason: reason.into() });
        }
        self.driver_copies(call)
    }

    /// # Errors
    /// `InvalidArgument` if the driver cannot copy it: its nodes allocate ([F215](crate::driver_facts#F215)), or it has
    /// conditional nodes ([F523](crate::driver_facts#F523)).
    #[inline]
    pub(super) fn driver_copies(&self, call: &'static str) -> Result {
        if self.has_conditions() {
            let reason = "the driver cannot copy a graph with conditional nodes: build it twice";
            return Err(Error::InvalidArgument { call, reason: reason.into() });
        }
        if !self.allocates() {
            return Ok(());
        }
        let reason = "the driver cannot copy a graph whose nodes allocate memory: use a buffer of \
                      your own instead";
        Err(Error::InvalidArgument { call, reason: reason.into() })
    }
}
