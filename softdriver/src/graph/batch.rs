//! Nodes that wait for values in memory and write them (F550 to F553). The memory is looked up when they are launched.
#![allow(unsafe_code, reason = "exported functions")]

use super::add::add;
use super::params::{set, set_in_exec};
use super::query::node;
use super::{Node, Work};
use crate::context;
use crate::entry::{self, Answer, driver};
use crate::life::Life;
use crate::stream_memory::{MOST, Operation, Ready};
use core::ffi::c_uint;
use cuscope_sys::*;
use std::sync::Arc;

/// The operations of a node.
pub(crate) struct Batch {
    /// The handle of the context.
    context: usize,
    life: Arc<Life>,
    /// As the program passed them. A node tells their address.
    params: Vec<CUstreamBatchMemOpParams>,
    operations: Vec<Operation>,
}

impl Batch {
    /// Operations in a context.
    pub(crate) fn new(
        life: &Arc<Life>,
        params: Vec<CUstreamBatchMemOpParams>,
        operations: Vec<Operation>,
    ) -> Self {
        let context = life.context_handle().addr();
        Self { context, life: life.clone(), params, operations }
    }

    /// The operations of a node, and the context that makes them.
    pub(super) fn of_node(
        params: *const CUDA_BATCH_MEM_OP_NODE_PARAMS,
    ) -> Answer<(Option<Arc<Life>>, Work)> {
        let it = entry::read(params)?;
        if it.ctx.is_null() {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let life = context::find(it.ctx)?.life()?;
        if it.count > MOST || it.flags != 0 {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let all = 0..it.count as usize;
        let params: Vec<_> = all
            .map(|index| entry::element(it.paramArray.cast_const(), index))
            .collect::<Answer<_>>()?;
        let operations = params.iter().map(Operation::of_batch).collect::<Answer<_>>()?;
        Ok((Some(life.home()), Work::Batch(Self::new(&life, params, operations))))
    }

    /// Whether a graph that can run may do the other ones instead: as many, of the same kinds, in the same context.
    pub(super) fn can_become(&self, other: &Self) -> bool {
        let kinds = |batch: &Self| {
            // SAFETY: every operation begins with its kind, which was read before.
            batch.params.iter().map(|one| unsafe { one.operation }).collect::<Vec<_>>()
        };
        self.context == other.context && kinds(self) == kinds(other)
    }

    /// Whether one of them waits.
    pub(super) fn waits(&self) -> bool {
        self.operations.iter().any(Operation::waits)
    }

    /// The operations on the memory that is there now; INVALID_VALUE if it is not.
    pub(super) fn ready(&self) -> Answer<Vec<Ready>> {
        self.operations.iter().map(|one| one.ready(&self.life)).collect()
    }
}

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
