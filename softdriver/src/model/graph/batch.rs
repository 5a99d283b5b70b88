//! Nodes that wait for values in memory and write them (F550 to F553). The memory is looked up when they are launched.
#![allow(unsafe_code, reason = "exported functions")]

use crate::entry::{self, Answer};
use crate::model::context;
use crate::model::graph::node::Work;
use crate::model::life::Life;
use crate::model::stream_memory::{MOST, Operation, Ready};
use cuscope_sys::*;
use std::sync::Arc;

/// The operations of a node.
pub(crate) struct Batch {
    /// The handle of the context.
    pub(crate) context: usize,
    life: Arc<Life>,
    /// As the program passed them. A node tells their address.
    pub(crate) params: Vec<CUstreamBatchMemOpParams>,
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
    pub(crate) fn of_node(
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
        let operations = Operation::all(&params, &life)?;
        Ok((Some(life.home()), Work::Batch(Self::new(&life, params, operations))))
    }

    /// Whether a graph that can run may do the other ones instead: as many, of the same kinds, in the same context.
    pub(crate) fn can_become(&self, other: &Self) -> bool {
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
    pub(crate) fn ready(&self) -> Answer<Vec<Ready>> {
        self.operations.iter().map(|one| one.ready(&self.life)).collect()
    }
}
