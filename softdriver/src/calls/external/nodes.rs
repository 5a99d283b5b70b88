//! Nodes of graphs that signal semaphores and wait for them.
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::calls::graph::params::{set, set_in_exec};
use crate::entry::{self, Answer};
use crate::model::external::semaphore::{Signals, Waits};
use crate::model::graph::add::add;
use crate::model::graph::node::{Node, Work};
use crate::model::graph::query::node;
use crate::model::life::Life;
use cuscope_sys::*;
use std::sync::Arc;

type Does = (Option<Arc<Life>>, Work);

fn signals(params: *const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS) -> Answer<Does> {
    let CUDA_EXT_SEM_SIGNAL_NODE_PARAMS { extSemArray, paramsArray, numExtSems } =
        entry::read(params)?;
    let list = Signals::read(extSemArray, paramsArray, numExtSems)?;
    Ok((list.life(), Work::Signal(list)))
}

fn waits(params: *const CUDA_EXT_SEM_WAIT_NODE_PARAMS) -> Answer<Does> {
    let CUDA_EXT_SEM_WAIT_NODE_PARAMS { extSemArray, paramsArray, numExtSems } =
        entry::read(params)?;
    let list = Waits::read(extSemArray, paramsArray, numExtSems)?;
    Ok((list.life(), Work::Await(list)))
}

fn is_signal(node: &Node) -> bool {
    matches!(*node.work, Work::Signal(_))
}

fn is_wait(node: &Node) -> bool {
    matches!(*node.work, Work::Await(_))
}

driver! {
    /// Adds a signal.
    fn cuGraphAddExternalSemaphoresSignalNode(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        nodeParams: *const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS,
    ) {
        add(phGraphNode, hGraph, dependencies, numDependencies, |_| signals(nodeParams))
    }
    /// Adds a wait.
    fn cuGraphAddExternalSemaphoresWaitNode(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        nodeParams: *const CUDA_EXT_SEM_WAIT_NODE_PARAMS,
    ) {
        add(phGraphNode, hGraph, dependencies, numDependencies, |_| waits(nodeParams))
    }
    /// Gives the signals of a node; the arrays are the node's.
    fn cuGraphExternalSemaphoresSignalNodeGetParams(
        hNode: CUgraphNode,
        params_out: *mut CUDA_EXT_SEM_SIGNAL_NODE_PARAMS,
    ) {
        entry::wanted(params_out)?;
        let node = node(hNode)?;
        let Work::Signal(list) = &*node.work else { return Err(CUDA_ERROR_INVALID_VALUE) };
        let (extSemArray, paramsArray, numExtSems) = list.raw();
        let params = CUDA_EXT_SEM_SIGNAL_NODE_PARAMS { extSemArray, paramsArray, numExtSems };
        entry::write(params_out, params)
    }
    /// Gives the waits of a node; the arrays are the node's.
    fn cuGraphExternalSemaphoresWaitNodeGetParams(
        hNode: CUgraphNode,
        params_out: *mut CUDA_EXT_SEM_WAIT_NODE_PARAMS,
    ) {
        entry::wanted(params_out)?;
        let node = node(hNode)?;
        let Work::Await(list) = &*node.work else { return Err(CUDA_ERROR_INVALID_VALUE) };
        let (extSemArray, paramsArray, numExtSems) = list.raw();
        let params = CUDA_EXT_SEM_WAIT_NODE_PARAMS { extSemArray, paramsArray, numExtSems };
        entry::write(params_out, params)
    }
    /// Changes what a node signals.
    fn cuGraphExternalSemaphoresSignalNodeSetParams(
        hNode: CUgraphNode,
        nodeParams: *const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS,
    ) {
        set(hNode, is_signal, || signals(nodeParams))
    }
    /// Changes what a node waits for.
    fn cuGraphExternalSemaphoresWaitNodeSetParams(
        hNode: CUgraphNode,
        nodeParams: *const CUDA_EXT_SEM_WAIT_NODE_PARAMS,
    ) {
        set(hNode, is_wait, || waits(nodeParams))
    }
    /// The same in an instantiated graph, for as many semaphores (F468).
    fn cuGraphExecExternalSemaphoresSignalNodeSetParams(
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        nodeParams: *const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS,
    ) {
        set_in_exec(hGraphExec, hNode, is_signal, |old| {
            let new = signals(nodeParams)?;
            match (&*old.work, &new.1) {
                (Work::Signal(old), Work::Signal(new)) if old.len() == new.len() => {}
                _ => return Err(CUDA_ERROR_INVALID_VALUE),
            }
            Ok(new)
        })
    }
    /// The same for a wait.
    fn cuGraphExecExternalSemaphoresWaitNodeSetParams(
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        nodeParams: *const CUDA_EXT_SEM_WAIT_NODE_PARAMS,
    ) {
        set_in_exec(hGraphExec, hNode, is_wait, |old| {
            let new = waits(nodeParams)?;
            match (&*old.work, &new.1) {
                (Work::Await(old), Work::Await(new)) if old.len() == new.len() => {}
                _ => return Err(CUDA_ERROR_INVALID_VALUE),
            }
            Ok(new)
        })
    }
}
