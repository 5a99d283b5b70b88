//! The parameters of kernel nodes.
#![allow(unsafe_code, reason = "exported functions")]

use super::query::node;
use super::{Work, find_exec, graph_of};
use crate::entry::{self, Answer, driver};
use crate::launch::{self, Launch};
use crate::{function, stack};
use cuscope_sys::*;
use std::sync::Arc;

/// A launch as a node has it; the parameters are read. Needs a current context.
pub(super) fn launch_of(params: *const CUDA_KERNEL_NODE_PARAMS) -> Answer<Launch> {
    let params = entry::read(params)?;
    let _current = stack::current()?;
    if params.func.is_null() && !params.kern.is_null() {
        return Err(CUDA_ERROR_NOT_SUPPORTED);
    }
    let function = function::function(params.func)?;
    let grid = [params.gridDimX, params.gridDimY, params.gridDimZ];
    let block = [params.blockDimX, params.blockDimY, params.blockDimZ];
    let dynamic = params.sharedMemBytes;
    launch::check_shape(&function, grid, block, dynamic as usize)?;
    let (pointers, extra) = (params.kernelParams, params.extra);
    Launch::new(params.func, function, grid, block, dynamic, pointers, extra)
}

driver! {
    /// What a kernel node launches. The pointers stay good until the node is changed or destroyed.
    fn cuGraphKernelNodeGetParams_v2(hNode: CUgraphNode, nodeParams: *mut CUDA_KERNEL_NODE_PARAMS) {
        entry::wanted(nodeParams)?;
        match &*node(hNode)?.work {
            Work::Kernel(launch) => entry::write(nodeParams, launch.params()),
            _ => Err(CUDA_ERROR_INVALID_VALUE),
        }
    }
    /// Changes what a kernel node launches; what was instantiated stays as it is (F194).
    fn cuGraphKernelNodeSetParams_v2(
        hNode: CUgraphNode,
        nodeParams: *const CUDA_KERNEL_NODE_PARAMS,
    ) {
        let handle = node(hNode)?.handle;
        entry::refuse_in_host_function()?;
        let launch = Arc::new(Work::Kernel(launch_of(nodeParams)?));
        graph_of(handle)?.with_node(handle, |node| {
            if !node.is_kernel() {
                return Err(CUDA_ERROR_INVALID_VALUE);
            }
            node.work = launch;
            Ok(())
        })?
    }
    /// The same in an instantiated graph, by the node of the original; from its next launch on.
    fn cuGraphExecKernelNodeSetParams_v2(
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        nodeParams: *const CUDA_KERNEL_NODE_PARAMS,
    ) {
        let exec = find_exec(hGraphExec)?;
        if entry::is_in_host_function() {
            return Err(CUDA_ERROR_INVALID_VALUE); // F199
        }
        let handle = node(hNode)?.handle;
        let launch = Arc::new(Work::Kernel(launch_of(nodeParams)?));
        exec.change(handle, |node| {
            if !node.is_kernel() {
                return Err(CUDA_ERROR_INVALID_VALUE);
            }
            node.work = launch;
            Ok(())
        })?
    }
}
