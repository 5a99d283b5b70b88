//! Nodes that are switched off.
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::calls::graph::exec::find as find_exec;
use crate::entry::{self, Answer};
use crate::host_function;
use crate::model::graph::exec::Exec;
use crate::model::graph::node::{Node, Work};
use crate::model::graph::query::node;
use core::ffi::c_uint;
use cuscope_sys::*;
use std::sync::Arc;

/// A node of an instantiated graph that can be switched; INVALID_VALUE for others (F216).
fn switch(exec: CUgraphExec, handle: CUgraphNode) -> Answer<(Arc<Exec>, Node)> {
    let exec = find_exec(exec)?;
    if host_function::running() {
        return Err(CUDA_ERROR_INVALID_VALUE); // F219
    }
    let node = exec.node(node(handle)?.handle);
    let node =
        node.filter(|node| matches!(*node.work, Work::Kernel(_) | Work::Copy(_) | Work::Fill(_)));
    Ok((exec, node.ok_or(CUDA_ERROR_INVALID_VALUE)?))
}

driver! {
    /// Leaves a kernel, a copy or a fill out from the next launch on, or not: 0 is off.
    fn cuGraphNodeSetEnabled(hGraphExec: CUgraphExec, hNode: CUgraphNode, isEnabled: c_uint) [
        null(0) = CUDA_ERROR_INVALID_VALUE,
        // The body refuses it, after a look at the arguments.
        host_fn,
    ] {
        let (exec, switched) = switch(hGraphExec, hNode)?;
        exec.change(switched.handle, |node| node.off = isEnabled == 0)
    }
    /// Whether it is on.
    fn cuGraphNodeGetEnabled(
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        isEnabled: *mut c_uint,
    ) [null(0) = CUDA_ERROR_INVALID_VALUE, host_fn] {
        let (_, node) = switch(hGraphExec, hNode)?;
        entry::write(isEnabled, (!node.off).into())
    }
}
