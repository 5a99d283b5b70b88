//! The driver functions about [`conditional`](crate::model::graph::conditional).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::calls::graph::kernel::launch_of;
use crate::calls::graph::{edit, event, params};
use crate::entry::{self, Answer};
use crate::model::graph::add::add;
use crate::model::graph::batch::Batch;
use crate::model::graph::child::Child;
use crate::model::graph::conditional::{Conditional, life};
use crate::model::graph::node::Work;
use crate::model::graph::{Graph, find};
use crate::model::life::Life;
use core::ffi::c_uint;
use cuscope_sys::*;
use std::ptr;
use std::sync::Arc;

/// Reads the work of a node of any kind.
fn of_any_kind(graph: &Graph, params: &mut CUgraphNodeParams) -> Answer<(Option<Arc<Life>>, Work)> {
    if (params.reserved0, params.reserved2) != ([0; 3], 0) {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let all = &mut params.anonymous;
    // SAFETY: every member of the union is of numbers and pointers, of which any bits are a value. The type says which
    // one the program has written.
    unsafe {
        match params.r#type {
            CU_GRAPH_NODE_TYPE_KERNEL => {
                let launch = launch_of((&raw const all.kernel).cast())?;
                Ok((Some(launch.life().clone()), Work::Kernel(launch)))
            }
            CU_GRAPH_NODE_TYPE_MEMCPY => {
                params::copy(graph, &raw const all.memcpy.copyParams, all.memcpy.copyCtx)
            }
            CU_GRAPH_NODE_TYPE_MEMSET => {
                params::fill_of(graph, (&raw const all.memset).cast(), all.memset.ctx)
            }
            CU_GRAPH_NODE_TYPE_HOST => params::call((&raw const all.host).cast()),
            CU_GRAPH_NODE_TYPE_GRAPH => Ok((None, Work::Child(Child::of(graph, all.graph.graph)?))),
            CU_GRAPH_NODE_TYPE_EMPTY => Ok((None, Work::Empty)),
            CU_GRAPH_NODE_TYPE_WAIT_EVENT => event::wait(all.eventWait.event),
            CU_GRAPH_NODE_TYPE_EVENT_RECORD => event::record(all.eventRecord.event),
            CU_GRAPH_NODE_TYPE_BATCH_MEM_OP => Batch::of_node((&raw const all.memOp).cast()),
            CU_GRAPH_NODE_TYPE_CONDITIONAL => {
                let (life, node) = Conditional::new(graph, &mut all.conditional)?;
                Ok((Some(life), Work::Conditional(node)))
            }
            // Their own functions add them.
            CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL
            | CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT
            | CU_GRAPH_NODE_TYPE_MEM_ALLOC
            | CU_GRAPH_NODE_TYPE_MEM_FREE => Err(CUDA_ERROR_NOT_SUPPORTED),
            _ => Err(CUDA_ERROR_INVALID_VALUE),
        }
    }
}

/// Adds a node of any kind after others.
fn add_any(
    node: *mut CUgraphNode,
    graph: CUgraph,
    (before, data, count): (*const CUgraphNode, *const CUgraphEdgeData, usize),
    params: *mut CUgraphNodeParams,
) -> Answer {
    entry::wanted(node)?;
    let found = find(graph)?;
    let mut all = entry::read(params)?;
    add(node, graph, ptr::null(), 0, |graph| of_any_kind(graph, &mut all))?;
    let handle = entry::read(node)?;
    for i in 0..count {
        let one = entry::element(before, i).and_then(|before| {
            let data = if data.is_null() { ptr::null() } else { data.wrapping_add(i) };
            edit::add_edge(graph, before, handle, data)
        });
        one.inspect_err(|_| found.remove(handle.addr()))?;
    }
    entry::write(params, all)
}

driver! {
    /// Declares a number that kernels of the graph set (F520).
    fn cuGraphConditionalHandleCreate(
        pHandle_out: *mut CUgraphConditionalHandle,
        hGraph: CUgraph,
        ctx: CUcontext,
        defaultLaunchValue: c_uint,
        flags: c_uint,
    ) {
        entry::wanted(pHandle_out)?;
        let graph = find(hGraph)?;
        let _life = life(ctx)?;
        if flags > 1 {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        entry::write(pHandle_out, graph.declarations.declare(ctx.addr(), defaultLaunchValue, flags == 1))
    }
    /// Adds a node of any kind, but for those of semaphores, allocations and frees.
    fn cuGraphAddNode(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        nodeParams: *mut CUgraphNodeParams,
    ) {
        add_any(phGraphNode, hGraph, (dependencies, ptr::null(), numDependencies), nodeParams)
    }
    /// The same, with what its edges do besides to order.
    fn cuGraphAddNode_v2(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        dependencyData: *const CUgraphEdgeData,
        numDependencies: usize,
        nodeParams: *mut CUgraphNodeParams,
    ) {
        add_any(phGraphNode, hGraph, (dependencies, dependencyData, numDependencies), nodeParams)
    }
}
