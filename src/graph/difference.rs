//! Why a graph was not updated in place.

use super::{Graph, NodeId};
use crate::error::Result;
use ffi::{CUgraphExecUpdateResult, CUgraphExecUpdateResultInfo};
use static_assertions::assert_impl_all;
use std::fmt;

/// A difference that keeps the driver from updating a graph in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Difference {
    /// There are more nodes, fewer nodes, or other edges between them.
    Topology,
    /// A node is of another kind.
    NodeType,
    /// A kernel node has another kernel, on a driver that does not change it.
    OtherKernel,
    /// A kernel node has a kernel that it cannot change to, such as one of another context.
    UnsupportedKernel,
    /// The parameters of a node cannot change in this way. For example, a fill has another number of rows.
    Parameters,
    /// The attributes of a kernel node cannot change in this way. For example, its launch is now cooperative.
    Attributes,
    /// The driver updates no node of this kind, or not this use of it.
    NotSupported,
    /// A node allocates memory, and the driver does not move that ([F215](crate::driver_facts#F215)). It was not
    /// asked.
    Allocates,
    /// There was nothing to update: an earlier update failed and the graph was lost. The driver was not asked.
    Lost,
    /// Another difference: the driver's number.
    Other(u32),
}

impl Difference {
    #[inline]
    const fn new(raw: CUgraphExecUpdateResult) -> Difference {
        match raw {
            ffi::CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED => Difference::Topology,
            ffi::CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED => Difference::NodeType,
            ffi::CU_GRAPH_EXEC_UPDATE_ERROR_FUNCTION_CHANGED => Difference::OtherKernel,
            ffi::CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE => {
                Difference::UnsupportedKernel
            }
            ffi::CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED => Difference::Parameters,
            ffi::CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED => Difference::Attributes,
            ffi::CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED => Difference::NotSupported,
            other => Difference::Other(other.0),
        }
    }
}

impl fmt::Display for Difference {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Difference::Topology => "other nodes or edges",
            Difference::NodeType => "a node of another kind",
            Difference::OtherKernel => "a node with another kernel",
            Difference::UnsupportedKernel => "a node with a kernel that it cannot change to",
            Difference::Parameters => "parameters of a node that cannot change so",
            Difference::Attributes => "attributes of a kernel node that cannot change so",
            Difference::NotSupported => "a node that the driver does not update",
            Difference::Allocates => "a node that allocates memory",
            Difference::Lost => "a graph that was lost",
            Difference::Other(number) => return write!(f, "difference {number} of the driver"),
        })
    }
}

/// Why [`recapture`](crate::PushedGuard::recapture) or [`rebuild_graph`](crate::PushedGuard::rebuild_graph) replaced
/// a graph, from [`Graph::why_replaced`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Replaced {
    difference: Difference,
    node: Option<NodeId>,
    dependency: Option<NodeId>,
}
assert_impl_all!(Replaced: Send, Sync);

impl Replaced {
    /// Returns the difference.
    #[must_use]
    pub fn difference(&self) -> Difference {
        self.difference
    }

    /// Returns the node of the new graph that differs, if the driver names one. It names none if the number of nodes
    /// differs, or if fewer nodes are last ones. If several nodes are of other kinds, it names the last of them. This
    /// returns no node of a child graph ([F500](crate::driver_facts#F500)).
    #[must_use]
    pub fn node(&self) -> Option<NodeId> {
        self.node
    }

    /// Returns the node that [`node`](Self::node) now depends on where it depended on another one, if the driver names
    /// it. The measured driver names none.
    #[must_use]
    pub fn dependency(&self) -> Option<NodeId> {
        self.dependency
    }
}

impl fmt::Display for Replaced {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.difference)?;
        self.node.map_or(Ok(()), |node| write!(f, ": {node:?}"))
    }
}

/// A [`Replaced`] with the addresses of the nodes' handles, or 0.
#[derive(Clone, Copy)]
pub(super) struct Refused {
    difference: Difference,
    node: usize,
    dependency: usize,
}

impl Refused {
    pub(super) const LOST: Refused = Refused::unasked(Difference::Lost);
    pub(super) const ALLOCATES: Refused = Refused::unasked(Difference::Allocates);

    const fn unasked(difference: Difference) -> Refused {
        Refused { difference, node: 0, dependency: 0 }
    }

    /// From what the driver tells of an update.
    #[inline]
    pub(super) fn new(info: &CUgraphExecUpdateResultInfo) -> Refused {
        let (node, dependency) = (info.errorNode.addr(), info.errorFromNode.addr());
        Refused { difference: Difference::new(info.result), node, dependency }
    }
}

impl Graph<'_> {
    /// Returns why the last [`recapture`](crate::PushedGuard::recapture) or
    /// [`rebuild_graph`](crate::PushedGuard::rebuild_graph) replaced the graph, or `None` if it updated the graph in
    /// place, or there was none.
    ///
    /// # Errors
    /// A driver error.
    ///
    /// # Examples
    /// ```
    /// # use cuscope::{Context, ContextStack, Device};
    /// use cuscope::graph::Difference;
    ///
    /// # fn main() -> cuscope::Result {
    /// # let context = Context::primary(Device::get(0)?)?;
    /// # let mut stack = ContextStack::current_thread()?;
    /// # let gpu = stack.push(&context)?;
    /// let (mut x, mut y) = (gpu.alloc::<u32>(4)?, gpu.alloc::<u32>(4)?);
    /// let (mut graph, _) = gpu.build_graph(|g| g.fill(&[], &mut g.hold(&mut x), 1))?;
    /// let (in_place, node) = gpu.rebuild_graph(&mut graph, |g| g.copy(&[], &x, &mut g.hold(&mut y)))?;
    /// assert!(!in_place);
    /// let why = graph.why_replaced()?.expect("it was replaced");
    /// assert_eq!((why.difference(), why.node()), (Difference::NodeType, Some(node.id())));
    /// # Ok(()) }
    /// ```
    #[doc(alias = "cuGraphExecUpdate")]
    #[doc(alias = "CUgraphExecUpdateResult")]
    #[inline]
    pub fn why_replaced(&self) -> Result<Option<Replaced>> {
        let Some(Refused { difference, node, dependency }) = self.inner.refused else {
            return Ok(None);
        };
        if (node, dependency) == (0, 0) {
            return Ok(Some(Replaced { difference, node: None, dependency: None }));
        }
        // The old graph was alive when these were told: no node of it has the handle of one of these.
        let (handles, ids) = (self.inner.template.nodes()?, self.inner.template.list()?);
        let find = |address: usize| {
            let place = handles.iter().position(|handle| handle.addr() == address)?;
            ids.get(place).copied()
        };
        Ok(Some(Replaced { difference, node: find(node), dependency: find(dependency) }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_of_the_driver_is_one_of_its_own() {
        let mut texts = Vec::new();
        // 0 is success, 1 is any error, and 9 is none of CUDA 13.5.
        for number in 2..=9 {
            texts.push(Difference::new(CUgraphExecUpdateResult(number)).to_string());
        }
        for own in [Difference::Allocates, Difference::Lost] {
            texts.push(own.to_string());
        }
        assert!(texts.contains(&"difference 9 of the driver".to_owned()), "{texts:?}");
        let all = texts.len();
        texts.sort();
        texts.dedup();
        assert_eq!(texts.len(), all, "{texts:?}");
    }

    #[test]
    fn each_number_of_the_driver_is_its_difference() {
        let differences = [
            Difference::Topology,
            Difference::NodeType,
            Difference::OtherKernel,
            Difference::Parameters,
            Difference::NotSupported,
            Difference::UnsupportedKernel,
            Difference::Attributes,
            Difference::Other(9),
        ];
        let mut numbers = 2..;
        let all = differences.map(|_| CUgraphExecUpdateResult(numbers.next().unwrap()));
        assert_eq!(all.map(Difference::new), differences);
    }
}
