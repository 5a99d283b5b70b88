//! The parameters of nodes that copy, fill, or call the host.
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::calls::graph::exec::find as find_exec;
use crate::entry::{self, Answer};
use crate::host_function;
use crate::model::context;
use crate::model::graph::node::{Fill, Node, Work};
use crate::model::graph::query::node;
use crate::model::graph::{Graph, graph_of};
use crate::model::launch::HostCall;
use crate::model::life::Life;
use crate::model::memory::space::SPACE;
use crate::model::transfer::Transfer;
use cuscope_sys::*;
use std::sync::Arc;

/// The work of a node, and the context that it runs in.
type Does = (Option<Arc<Life>>, Work);

/// Changes a node that `is` of the kind; what was instantiated stays as it is.
pub(crate) fn set(
    handle: CUgraphNode,
    is: impl Fn(&Node) -> bool,
    make: impl FnOnce() -> Answer<Does>,
) -> Answer {
    let found = node(handle)?;
    if !is(&found) {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let (life, work) = make()?;
    graph_of(found.handle)?.with_node(found.handle, |node| node.does(life, work))
}

/// The same in an instantiated graph, by the node of the original; from its next launch on.
pub(crate) fn set_in_exec(
    exec: CUgraphExec,
    handle: CUgraphNode,
    is: impl Fn(&Node) -> bool,
    make: impl FnOnce(&Node) -> Answer<Does>,
) -> Answer {
    let exec = find_exec(exec)?;
    if host_function::running() {
        return Err(CUDA_ERROR_INVALID_VALUE); // F219
    }
    let handle = node(handle)?.handle;
    let old = exec.node(handle).filter(|node| is(node)).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    let (life, work) = make(&old)?;
    let new = Node::new(Vec::new(), life, work);
    exec.change(handle, |node| *node = node.with_work_of(&new))
}

/// The context that a node acts in: that of the memory if none is given.
fn life_of(context: CUcontext, address: u64) -> Answer<Arc<Life>> {
    match context.is_null() {
        true => Ok(SPACE.find_for_graph(address, 1)?.life.clone()),
        false => Ok(context::find(context)?.life()?.home()),
    }
}

/// A fill; in the context of the memory if none is given.
fn fill(params: *const CUDA_MEMSET_NODE_PARAMS, context: CUcontext) -> Answer<Does> {
    let params = entry::read(params)?;
    let life = life_of(context, params.dst)?;
    let fill = Fill::new(&life, &params)?;
    Ok((Some(life), Work::Fill(fill)))
}

/// A fill of a new node, which a graph has.
pub(super) fn fill_of(
    graph: &Graph,
    params: *const CUDA_MEMSET_NODE_PARAMS,
    context: CUcontext,
) -> Answer<Does> {
    let (life, work) = fill(params, context)?;
    if let Work::Fill(fill) = &work {
        graph.names(fill.to)?;
    }
    Ok((life, work))
}

/// A copy of a new node, which a graph has (F337).
pub(super) fn copy(
    graph: &Graph,
    params: *const CUDA_MEMCPY3D,
    context: CUcontext,
) -> Answer<Does> {
    let params = entry::read(params)?;
    let none = context.is_null();
    let life = if none { None } else { Some(context::find(context)?.life()?.home()) };
    let copy = Transfer::of_node(params)?;
    copy.places().into_iter().flatten().try_for_each(|at| graph.names(at))?;
    Ok((life, Work::Copy(Box::new(copy))))
}

fn fills(node: &Node) -> bool {
    matches!(*node.work, Work::Fill(_))
}

fn copies(node: &Node) -> bool {
    matches!(*node.work, Work::Copy(_))
}

fn calls(node: &Node) -> bool {
    matches!(*node.work, Work::Host(_))
}

/// A call of the host.
pub(super) fn call(params: *const CUDA_HOST_NODE_PARAMS) -> Answer<Does> {
    let params = entry::read(params)?;
    Ok((None, Work::Host(HostCall::new(params.r#fn, params.userData)?)))
}

/// Changes what a node fills; in the context of the memory if none is given.
pub(super) fn set_fill(
    hNode: CUgraphNode,
    nodeParams: *const CUDA_MEMSET_NODE_PARAMS,
    ctx: CUcontext,
) -> Answer {
    set(hNode, fills, || fill(nodeParams, ctx))
}

/// Changes what a node copies.
pub(super) fn set_copy(hNode: CUgraphNode, nodeParams: *const CUDA_MEMCPY3D) -> Answer {
    set(hNode, copies, || {
        Ok((None, Work::Copy(Box::new(Transfer::of_node(entry::read(nodeParams)?)?))))
    })
}

/// Changes what a node of an instantiated graph fills: one row, or rows of the same layout (F216, F340).
pub(super) fn set_fill_in_exec(
    hGraphExec: CUgraphExec,
    hNode: CUgraphNode,
    memsetParams: *const CUDA_MEMSET_NODE_PARAMS,
    ctx: CUcontext,
) -> Answer {
    set_in_exec(hGraphExec, hNode, fills, |old| {
        let (life, new) = fill(memsetParams, ctx)?;
        match (&*old.work, &new) {
            (Work::Fill(old), Work::Fill(fill)) if old.can_become(fill) => Ok((life, new)),
            _ => Err(CUDA_ERROR_INVALID_VALUE),
        }
    })
}

/// Changes what a node of an instantiated graph copies: one row between memory of the same sorts, or the same rows (F216, F339).
pub(super) fn set_copy_in_exec(
    hGraphExec: CUgraphExec,
    hNode: CUgraphNode,
    copyParams: *const CUDA_MEMCPY3D,
    ctx: CUcontext,
) -> Answer {
    set_in_exec(hGraphExec, hNode, copies, |old| {
        let new = Transfer::of_node(entry::read(copyParams)?)?;
        let life = if ctx.is_null() { None } else { Some(context::find(ctx)?.life()?.home()) };
        match &*old.work {
            Work::Copy(old) if old.can_become(&new) && old.is_like(&new) => {
                Ok((life, Work::Copy(Box::new(new))))
            }
            _ => Err(CUDA_ERROR_INVALID_VALUE),
        }
    })
}

/// Changes what a node calls.
pub(super) fn set_call(hNode: CUgraphNode, nodeParams: *const CUDA_HOST_NODE_PARAMS) -> Answer {
    set(hNode, calls, || call(nodeParams))
}

/// Changes what a node of an instantiated graph calls.
pub(super) fn set_call_in_exec(
    hGraphExec: CUgraphExec,
    hNode: CUgraphNode,
    nodeParams: *const CUDA_HOST_NODE_PARAMS,
) -> Answer {
    set_in_exec(hGraphExec, hNode, calls, |_| call(nodeParams))
}

driver! {
    /// Gives the fill of a node.
    fn cuGraphMemsetNodeGetParams(hNode: CUgraphNode, nodeParams: *mut CUDA_MEMSET_NODE_PARAMS) {
        match &*node(hNode)?.work {
            Work::Fill(fill) => entry::write(nodeParams, CUDA_MEMSET_NODE_PARAMS {
                dst: fill.to,
                pitch: fill.pitch,
                value: fill.pattern.value(),
                elementSize: fill.pattern.size as u32,
                width: fill.width,
                height: fill.rows,
            }),
            _ => Err(CUDA_ERROR_INVALID_VALUE),
        }
    }
    /// Changes what a node fills.
    fn cuGraphMemsetNodeSetParams(hNode: CUgraphNode, nodeParams: *const CUDA_MEMSET_NODE_PARAMS) {
        set_fill(hNode, nodeParams, std::ptr::null_mut())
    }
    /// The same in an instantiated graph; of one row, or of rows of the same layout (F216, F340).
    fn cuGraphExecMemsetNodeSetParams(
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        memsetParams: *const CUDA_MEMSET_NODE_PARAMS,
        ctx: CUcontext,
    ) [
        null(0) = CUDA_ERROR_INVALID_VALUE,
        // The body refuses it, after a look at the arguments.
        host_fn,
    ] {
        set_fill_in_exec(hGraphExec, hNode, memsetParams, ctx)
    }
    /// Gives the copy of a node.
    fn cuGraphMemcpyNodeGetParams(hNode: CUgraphNode, nodeParams: *mut CUDA_MEMCPY3D) {
        match &*node(hNode)?.work {
            Work::Copy(copy) => entry::write(nodeParams, copy.params()),
            _ => Err(CUDA_ERROR_INVALID_VALUE),
        }
    }
    /// Changes what a node copies.
    fn cuGraphMemcpyNodeSetParams(hNode: CUgraphNode, nodeParams: *const CUDA_MEMCPY3D) {
        set_copy(hNode, nodeParams)
    }
    /// The same in an instantiated graph; of one row between memory of the same sorts, or of the same rows (F216,
    /// F339).
    fn cuGraphExecMemcpyNodeSetParams(
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        copyParams: *const CUDA_MEMCPY3D,
        ctx: CUcontext,
    ) {
        set_copy_in_exec(hGraphExec, hNode, copyParams, ctx)
    }
    /// Gives the function that a node calls.
    fn cuGraphHostNodeGetParams(hNode: CUgraphNode, nodeParams: *mut CUDA_HOST_NODE_PARAMS) {
        match &*node(hNode)?.work {
            Work::Host(call) => entry::write(nodeParams, call.params()),
            _ => Err(CUDA_ERROR_INVALID_VALUE),
        }
    }
    /// Changes what a node calls.
    fn cuGraphHostNodeSetParams(hNode: CUgraphNode, nodeParams: *const CUDA_HOST_NODE_PARAMS) {
        set_call(hNode, nodeParams)
    }
    /// The same in an instantiated graph.
    fn cuGraphExecHostNodeSetParams(
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        nodeParams: *const CUDA_HOST_NODE_PARAMS,
    ) {
        set_call_in_exec(hGraphExec, hNode, nodeParams)
    }
}
