//! The parameters of kernel nodes.
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::calls::graph::exec::find as find_exec;
use crate::entry;
use crate::entry::Answer;
use crate::host_function;
use crate::model::graph::graph_of;
use crate::model::graph::node::{Node, Work};
use crate::model::graph::query::node;
use crate::model::launch::Launch;
use crate::model::launch_attributes::Values;
use crate::model::life::Life;
use crate::model::{context, function, launch, library, stack};
use cuscope_sys::*;
use std::mem::MaybeUninit;
use std::sync::Arc;

/// Where a node runs the kernel of a library: the context that it names, or the current one (F532).
fn home_of(context: CUcontext) -> Answer<Arc<Life>> {
    match context.is_null() {
        true => crate::calls::stack::current_home(),
        false => Ok(context::find(context)?.life()?.home()),
    }
}

/// A launch as a node has it; the parameters are read. Needs a current context, unless they have a kernel of a library and a
/// context (F570).
pub(super) fn launch_of(params: *const CUDA_KERNEL_NODE_PARAMS) -> Answer<Launch> {
    let params = entry::read(params)?;
    let func = if params.func.is_null() && !params.kern.is_null() {
        library::function_in(params.kern, &home_of(params.ctx)?)?
    } else {
        let _current = stack::current()?;
        params.func
    };
    let function = function::function(func)?;
    let grid = [params.gridDimX, params.gridDimY, params.gridDimZ];
    let block = [params.blockDimX, params.blockDimY, params.blockDimZ];
    let dynamic = params.sharedMemBytes;
    launch::check_shape(&function, grid, block, dynamic as usize)?;
    let (pointers, extra) = (params.kernelParams, params.extra);
    Launch::new(func, function, grid, block, dynamic, pointers, extra)
}

/// The launch of a kernel node; INVALID_VALUE for others.
fn with_launch<R>(handle: CUgraphNode, f: impl FnOnce(&Launch) -> Answer<R>) -> Answer<R> {
    match &*node(handle)?.work {
        Work::Kernel(launch) => f(launch),
        _ => Err(CUDA_ERROR_INVALID_VALUE),
    }
}

/// Gives a kernel node other attributes; what was instantiated stays as it is.
fn set_attributes(handle: CUgraphNode, values: Values) -> Answer {
    let new = with_launch(handle, |launch| launch.with_attributes(values))?;
    new.check_attributes()?;
    let new = Arc::new(Work::Kernel(new));
    graph_of(handle.addr())?.with_node(handle.addr(), |node| node.work = new)
}

/// The launch of parameters that is to take the place of a node's; it keeps the node's attributes (F555).
fn launch_instead(node: &Node, launch: Launch) -> Answer<Arc<Work>> {
    match &*node.work {
        Work::Kernel(old) => {
            let new = launch.with_attributes(old.attributes().clone())?;
            new.check_attributes()?;
            Ok(Arc::new(Work::Kernel(new)))
        }
        _ => Err(CUDA_ERROR_INVALID_VALUE),
    }
}

/// Changes what a node launches (F194).
pub(super) fn set(hNode: CUgraphNode, nodeParams: *const CUDA_KERNEL_NODE_PARAMS) -> Answer {
    let handle = node(hNode)?.handle;
    host_function::refuse()?;
    let launch = launch_of(nodeParams)?;
    graph_of(handle)?.with_node(handle, |node| {
        node.work = launch_instead(node, launch)?;
        Ok(())
    })?
}

/// Changes what a node of an instantiated graph launches.
pub(super) fn set_in_exec(
    hGraphExec: CUgraphExec,
    hNode: CUgraphNode,
    nodeParams: *const CUDA_KERNEL_NODE_PARAMS,
) -> Answer {
    let exec = find_exec(hGraphExec)?;
    if host_function::running() {
        return Err(CUDA_ERROR_INVALID_VALUE); // F199
    }
    let handle = node(hNode)?.handle;
    let launch = launch_of(nodeParams)?;
    exec.change(handle, |node| {
        node.work = launch_instead(node, launch)?;
        Ok(())
    })?
}

driver! {
    /// One attribute of a kernel node.
    fn cuGraphKernelNodeGetAttribute(
        hNode: CUgraphNode,
        attr: CUkernelNodeAttrID,
        value_out: *mut CUkernelNodeAttrValue,
    ) {
        let (value, len) = with_launch(hNode, |launch| launch.attributes().get(attr))?;
        let out: *mut MaybeUninit<u8> = value_out.cast();
        for (index, &byte) in value[..len].iter().enumerate() {
            entry::write(out.wrapping_add(index), byte)?;
        }
        Ok(())
    }
    /// Sets an attribute of a kernel node; what was instantiated stays as it is.
    fn cuGraphKernelNodeSetAttribute(
        hNode: CUgraphNode,
        attr: CUkernelNodeAttrID,
        value: *const CUkernelNodeAttrValue,
    ) {
        let mut values = with_launch(hNode, |launch| Ok(launch.attributes().clone()))?;
        values.set(attr, entry::read(value.cast())?)?;
        set_attributes(hNode, values)
    }
    /// Gives a kernel node the attributes of another one.
    fn cuGraphKernelNodeCopyAttributes(dst: CUgraphNode, src: CUgraphNode) {
        let values = with_launch(src, |launch| Ok(launch.attributes().clone()))?;
        // A shape that does not go with the other one is no cluster size of its own here (F554).
        set_attributes(dst, values).map_err(|code| match code {
            CUDA_ERROR_INVALID_CLUSTER_SIZE => CUDA_ERROR_INVALID_VALUE,
            code => code,
        })
    }
    /// Gives the launch of a kernel node. The pointers stay good until the node is changed or destroyed.
    fn cuGraphKernelNodeGetParams_v2(hNode: CUgraphNode, nodeParams: *mut CUDA_KERNEL_NODE_PARAMS) [
        null(0) = CUDA_ERROR_INVALID_VALUE,
        host_fn,
        after_fault,
    ] {
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
    ) [
        null(0) = CUDA_ERROR_INVALID_VALUE,
        // The body refuses it, after a look at the arguments.
        host_fn,
        after_fault_if_zero(&[0]),
    ] {
        set(hNode, nodeParams)
    }
    /// The same in an instantiated graph, by the node of the original; from its next launch on.
    fn cuGraphExecKernelNodeSetParams_v2(
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        nodeParams: *const CUDA_KERNEL_NODE_PARAMS,
    ) [
        null(0) = CUDA_ERROR_INVALID_VALUE,
        // The body refuses it, after a look at the arguments.
        host_fn,
        after_fault_if_zero(&[0]),
    ] {
        set_in_exec(hGraphExec, hNode, nodeParams)
    }
}
