//! The driver functions about [`batch`](crate::model::graph::batch).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::calls::graph::params::{set, set_in_exec};
use crate::entry;
use crate::model::graph::add::add;
use crate::model::graph::batch::Batch;
use crate::model::graph::node::{Node, Work};
use crate::model::graph::query::node;
use core::ffi::c_uint;
use cuscope_sys::*;

fn is_batch(node: &Node) -> bool {
    matches!(*node.work, Work::Batch(_))
}

driver! {
    /// Adds waits, writes and barriers, which are made in order.
    fn cuGraphAddBatchMemOpNode(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        nodeParams: *const CUDA_BATCH_MEM_OP_NODE_PARAMS,
    ) [null(1) = CUDA_ERROR_INVALID_VALUE, host_fn] {
        add(phGraphNode, hGraph, dependencies, numDependencies, |_| Batch::of_node(nodeParams))
    }
    /// The operations of a node; the array is the node's own.
    fn cuGraphBatchMemOpNodeGetParams(
        hNode: CUgraphNode,
        nodeParams_out: *mut CUDA_BATCH_MEM_OP_NODE_PARAMS,
    ) [null(0) = CUDA_ERROR_INVALID_VALUE, host_fn] {
        match &*node(hNode)?.work {
            Work::Batch(batch) => entry::write(nodeParams_out, CUDA_BATCH_MEM_OP_NODE_PARAMS {
                ctx: std::ptr::without_provenance_mut(batch.context),
                count: batch.params.len() as c_uint,
                paramArray: batch.params.as_ptr().cast_mut(),
                flags: 0,
            }),
            _ => Err(CUDA_ERROR_INVALID_VALUE),
        }
    }
    /// Changes the operations of a node; what was instantiated stays as it is.
    fn cuGraphBatchMemOpNodeSetParams(
        hNode: CUgraphNode,
        nodeParams: *const CUDA_BATCH_MEM_OP_NODE_PARAMS,
    ) [null(0) = CUDA_ERROR_INVALID_VALUE, host_fn] {
        set(hNode, is_batch, || Batch::of_node(nodeParams))
    }
    /// The same in an instantiated graph: as many operations of the same kinds.
    fn cuGraphExecBatchMemOpNodeSetParams(
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        nodeParams: *const CUDA_BATCH_MEM_OP_NODE_PARAMS,
    ) [null(0) = CUDA_ERROR_INVALID_VALUE, host_fn] {
        set_in_exec(hGraphExec, hNode, is_batch, |old| {
            let (life, new) = Batch::of_node(nodeParams)?;
            match (&*old.work, &new) {
                (Work::Batch(old), Work::Batch(batch)) if old.can_become(batch) => Ok((life, new)),
                _ => Err(CUDA_ERROR_INVALID_VALUE),
            }
        })
    }
}
