//! Graphs that can run.
#![allow(unsafe_code, reason = "exported functions")]

use super::{Node, find};
use crate::driver::driver as state;
use crate::entry::{self, driver};
use crate::queue::Ticket;
use crate::{capture, stack, stream, sync};
use core::ffi::c_ulonglong;
use cuscope_sys::*;
use std::sync::{Arc, Mutex};

/// The flags of an instantiation: freed memory at a launch, launches by the device, priorities. To
/// upload it at once (2) is for another function.
const INSTANTIATE_FLAGS: c_ulonglong = 1 | 4 | 8;

/// A graph that can run: its nodes, each behind what it depends on.
pub(crate) struct Exec {
    nodes: Arc<[Node]>,
    /// Its last run: the next one waits for it, in whichever stream (F149).
    last: Mutex<Option<Arc<Ticket>>>,
}

driver! {
    /// Makes a graph ready to run, as it is now; needs a current context.
    fn cuGraphInstantiateWithFlags(
        phGraphExec: *mut CUgraphExec,
        hGraph: CUgraph,
        flags: c_ulonglong,
    ) {
        entry::wanted(phGraphExec)?;
        let _current = stack::current()?;
        let graph = find(hGraph)?;
        if flags & !INSTANTIATE_FLAGS != 0 {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        // A node can only depend on earlier ones, so that the order of creation is a good one.
        let nodes = graph.nodes();
        nodes.iter().try_for_each(Node::check_now)?;
        let exec = Exec { nodes: nodes.into(), last: Mutex::default() };
        let (handle, _) = state().execs.insert(|_| exec);
        entry::write(phGraphExec, std::ptr::without_provenance_mut(handle))
    }
    /// Enqueues an instantiated graph, on a stream of any context (F41) that is not captured.
    fn cuGraphLaunch(hGraphExec: CUgraphExec, hStream: CUstream) {
        let exec = state().execs.get(hGraphExec.addr()).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        let target = stream::target(hStream)?;
        capture::refuse(&target)?;
        exec.nodes.iter().try_for_each(Node::check_life)?;
        let nodes = exec.nodes.clone();
        let mut last = sync::lock(&exec.last);
        let after = last.iter().cloned().collect();
        let work = move || nodes.iter().try_for_each(Node::run);
        *last = Some(target.life.submit(&target.queue, after, Box::new(work))?);
        Ok(())
    }
    /// Destroys an instantiated graph; runs of it still finish.
    fn cuGraphExecDestroy(hGraphExec: CUgraphExec) {
        state().execs.remove(hGraphExec.addr()).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        Ok(())
    }
}
