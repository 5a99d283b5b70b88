//! Changes of nodes of any kind.
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::calls::graph::{batch, child, event, kernel, params};
use crate::entry::{self, Answer};
use crate::model::graph::query;
use cuscope_sys::*;

/// Changes a node: in the definition, or in an instantiated graph of it (F573).
fn set(exec: Option<CUgraphExec>, node: CUgraphNode, new: *mut CUgraphNodeParams) -> Answer {
    let new = entry::read(new)?;
    let is = query::node(node)?.kind();
    if (new.reserved0, new.reserved2, new.r#type) != ([0; 3], 0, is) {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let all = &new.anonymous;
    // SAFETY: every member of the union is of numbers and pointers, of which any bits are a value. The type says which
    // one the program has written.
    unsafe {
        match (is, exec) {
            (CU_GRAPH_NODE_TYPE_KERNEL, Some(exec)) => {
                kernel::set_in_exec(exec, node, (&raw const all.kernel).cast())
            }
            (CU_GRAPH_NODE_TYPE_KERNEL, None) => kernel::set(node, (&raw const all.kernel).cast()),
            (CU_GRAPH_NODE_TYPE_MEMCPY, Some(exec)) => params::set_copy_in_exec(
                exec,
                node,
                &raw const all.memcpy.copyParams,
                all.memcpy.copyCtx,
            ),
            (CU_GRAPH_NODE_TYPE_MEMCPY, None) => {
                params::set_copy(node, &raw const all.memcpy.copyParams)
            }
            (CU_GRAPH_NODE_TYPE_MEMSET, Some(exec)) => {
                params::set_fill_in_exec(exec, node, (&raw const all.memset).cast(), all.memset.ctx)
            }
            (CU_GRAPH_NODE_TYPE_MEMSET, None) => {
                params::set_fill(node, (&raw const all.memset).cast(), all.memset.ctx)
            }
            (CU_GRAPH_NODE_TYPE_HOST, Some(exec)) => {
                params::set_call_in_exec(exec, node, (&raw const all.host).cast())
            }
            (CU_GRAPH_NODE_TYPE_HOST, None) => params::set_call(node, (&raw const all.host).cast()),
            (CU_GRAPH_NODE_TYPE_GRAPH, Some(exec)) => {
                child::set_in_exec(exec, node, all.graph.graph)
            }
            (CU_GRAPH_NODE_TYPE_GRAPH, None) => child::set(node, all.graph.graph),
            (CU_GRAPH_NODE_TYPE_WAIT_EVENT, Some(exec)) => {
                event::set_wait_in_exec(exec, node, all.eventWait.event)
            }
            (CU_GRAPH_NODE_TYPE_WAIT_EVENT, None) => event::set_wait(node, all.eventWait.event),
            (CU_GRAPH_NODE_TYPE_EVENT_RECORD, Some(exec)) => {
                event::set_record_in_exec(exec, node, all.eventRecord.event)
            }
            (CU_GRAPH_NODE_TYPE_EVENT_RECORD, None) => {
                event::set_record(node, all.eventRecord.event)
            }
            (CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, Some(exec)) => {
                batch::set_batch_in_exec(exec, node, (&raw const all.memOp).cast())
            }
            (CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, None) => {
                batch::set_batch(node, (&raw const all.memOp).cast())
            }
            (CU_GRAPH_NODE_TYPE_EMPTY, _) => Ok(()),
            _ => Err(CUDA_ERROR_NOT_SUPPORTED),
        }
    }
}

driver! {
    /// Changes a node of any kind, but for allocations, frees and conditional nodes, and those of semaphores; what was
    /// instantiated stays as it is.
    fn cuGraphNodeSetParams(hNode: CUgraphNode, nodeParams: *mut CUgraphNodeParams) {
        set(None, hNode, nodeParams)
    }
    /// The same in an instantiated graph.
    fn cuGraphExecNodeSetParams(
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        nodeParams: *mut CUgraphNodeParams,
    ) {
        set(Some(hGraphExec), hNode, nodeParams)
    }
}
