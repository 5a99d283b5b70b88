//! Queries of graphs.

use crate::entry::Answer;
use crate::model::graph::graph_of;
use crate::model::graph::node::Node;
use cuscope_sys::*;

/// The node of a handle; INVALID_VALUE for what is none.
pub(crate) fn node(handle: CUgraphNode) -> Answer<Node> {
    graph_of(handle.addr())?.with_node(handle.addr(), |node| node.clone())
}

/// Whether an edge only orders.
pub(crate) fn is_plain(edge: CUgraphEdgeData) -> bool {
    edge == PLAIN
}

/// An edge that only orders.
pub(crate) const PLAIN: CUgraphEdgeData =
    CUgraphEdgeData { from_port: 0, to_port: 0, r#type: 0, reserved: [0; 5] };
