//! The driver functions about [`exec`](crate::model::graph::exec).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::calls::capture;
use crate::entry::Answer;
use crate::host_function;
use crate::label::Label;
use crate::model::event::Stamp;
use crate::model::graph::exec::EXECS;
use crate::model::graph::exec::{Exec, Level, Refusal, prepared, run};
use crate::model::graph::memory::Memory;
use crate::model::graph::node::{Node, Work as NodeWork, places};
use crate::model::graph::user_object::Objects;
use crate::model::numbers::Numbers;
use crate::model::{stack, usable};
use crate::queue::Work;
use crate::{entry, schedule, sync};
use core::ffi::{c_char, c_ulonglong};
use cuscope_sys::*;
use std::collections::HashSet;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

/// The flags of an instantiation: freed memory at a launch, launches by the device, priorities. To
/// upload it at once (2) is for the function that is given a stream.
const INSTANTIATE_FLAGS: c_ulonglong = 1 | 4 | 8;

/// The instantiated graph of a handle; INVALID_VALUE for what is none.
pub(super) fn find(handle: CUgraphExec) -> Answer<Arc<Exec>> {
    EXECS.get(handle.addr()).ok_or(CUDA_ERROR_INVALID_VALUE)
}

/// Allocates and frees the memory of a launch; INVALID_VALUE if memory to allocate is there, or memory to free is not
/// (F213).
fn account(levels: &[Level], frees: bool) -> Answer {
    let works = || levels.iter().flatten().map(|node| &*node.work);
    let (mut all_allocated, mut all_freed) = (HashSet::new(), HashSet::new());
    for work in works() {
        match work {
            NodeWork::Alloc(memory) => all_allocated.insert(Arc::as_ptr(memory)),
            NodeWork::Free(memory) => all_freed.insert(Arc::as_ptr(memory)),
            _ => false,
        };
    }
    let allocated = |memory: &Arc<Memory>| all_allocated.contains(&Arc::as_ptr(memory));
    let freed = |memory: &Arc<Memory>| all_freed.contains(&Arc::as_ptr(memory));
    for work in works() {
        let bad = match work {
            NodeWork::Alloc(memory) => !frees && memory.left.load(Ordering::Acquire),
            NodeWork::Free(memory) => !allocated(memory) && !memory.left.load(Ordering::Acquire),
            _ => false,
        };
        if bad {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
    }
    for work in works() {
        match work {
            NodeWork::Alloc(memory) => memory.left.store(!freed(memory), Ordering::Release),
            NodeWork::Free(memory) => memory.left.store(false, Ordering::Release),
            _ => {}
        }
    }
    Ok(())
}

/// The nodes as a launch runs them: waits are for what events have recorded by now, records take times of their own, and values in the memory that is
/// there now; INVALID_VALUE if it is not.
fn launched(levels: &[Level]) -> Answer<Vec<Level>> {
    let node = |node: &Node| {
        let work = match &*node.work {
            NodeWork::Wait(event, _) => NodeWork::WaitFor(event.recorded()),
            NodeWork::Record(event, _) => NodeWork::RecordNow(event.clone(), Stamp::default()),
            NodeWork::Batch(batch) => NodeWork::Values(batch.ready()?),
            _ => return Ok(node.clone()),
        };
        Ok(node.with_work_of(&Node::new(Vec::new(), None, work)))
    };
    levels.iter().map(|level| level.iter().map(node).collect()).collect()
}

/// Makes a graph ready to run, as it is now; its handle.
fn instantiate(graph: CUgraph, flags: c_ulonglong) -> Result<usize, Refusal> {
    let failed = |code| (code, CUDA_GRAPH_INSTANTIATE_ERROR, 0);
    let _current = stack::current().map_err(failed)?;
    let graph = crate::model::graph::find(graph).map_err(failed)?;
    if graph.child {
        return Err(failed(CUDA_ERROR_NOT_SUPPORTED)); // F212
    }
    if flags & 4 != 0 && graph.chooses() {
        return Err(failed(CUDA_ERROR_INVALID_VALUE)); // F523
    }
    let levels = prepared(&graph)?;
    let numbers = graph.declarations.numbers().map_err(failed)?;
    let place = |(level, nodes): (usize, &Level)| {
        let handles = nodes.iter().map(|node| node.handle);
        handles.enumerate().map(|(place, handle)| (handle, (level, place))).collect::<Vec<_>>()
    };
    let places = levels.iter().enumerate().flat_map(place).collect();
    let of = graph.is_single().then(|| graph.instantiated.clone());
    if of.as_ref().is_some_and(|of| of.swap(true, Ordering::AcqRel)) {
        return Err(failed(CUDA_ERROR_NOT_SUPPORTED)); // F213, F523
    }
    let frees = flags & 1 != 0;
    let levels = Mutex::new(Arc::new(levels));
    let (last, objects) = (Mutex::default(), Mutex::new(Arc::new(graph.all_objects())));
    let numbers = Mutex::new(numbers);
    let exec = Exec { levels, places, last, frees, of, flags, objects, numbers };
    Ok(EXECS.insert(|_| exec).0)
}

/// The nodes as pieces of work of their own, with the indices of those that each is after.
fn branches(
    levels: &[Level],
    kept: &Arc<Objects>,
    numbers: &Arc<Numbers>,
) -> Vec<(Vec<usize>, Label, Work)> {
    let nodes: Vec<_> = levels.iter().flatten().cloned().collect();
    let places = places(&nodes);
    let index = |handle: &usize| places.get(handle).copied();
    let branch = |node: &Node| {
        let before = node.before.iter().filter_map(index).collect();
        let (work, kept, numbers) = (node.clone(), kept.clone(), numbers.clone());
        let run = move || {
            let _kept = &kept;
            work.run(&numbers)
        };
        (before, node.label(), Box::new(run) as Work)
    };
    nodes.iter().map(branch).collect()
}

driver! {
    /// Makes a graph ready to run, as it is now; needs a current context.
    fn cuGraphInstantiateWithFlags(
        phGraphExec: *mut CUgraphExec,
        hGraph: CUgraph,
        flags: c_ulonglong,
    ) [needs_current, no_capture_in_context] {
        entry::wanted(phGraphExec)?;
        let _current = stack::current()?;
        let _graph = crate::model::graph::find(hGraph)?;
        // A graph that frees its memory by itself is not launched by the device (F535).
        if flags & !INSTANTIATE_FLAGS != 0 || flags & 5 == 5 {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let handle = instantiate(hGraph, flags).map_err(|(code, ..)| code)?;
        entry::write(phGraphExec, std::ptr::without_provenance_mut(handle))
    }
    /// As with no flags, and tells the node that kept it. There is nothing to tell in words.
    fn cuGraphInstantiate_v2(
        phGraphExec: *mut CUgraphExec,
        hGraph: CUgraph,
        phErrorNode: *mut CUgraphNode,
        logBuffer: *mut c_char,
        bufferSize: usize,
    ) [needs_current, no_capture_in_context] {
        entry::wanted(phGraphExec)?;
        let made = instantiate(hGraph, 0);
        let node = made.map_or_else(|(.., node)| node, |_| 0);
        entry::write_optional(phErrorNode, std::ptr::without_provenance_mut(node));
        if bufferSize > 0 {
            entry::write_optional(logBuffer, 0);
        }
        let handle = made.map_err(|(code, ..)| code)?;
        entry::write(phGraphExec, std::ptr::without_provenance_mut(handle))
    }
    /// The same, and tells what kept it; launches by the device are not supported (F195).
    fn cuGraphInstantiateWithParams(
        phGraphExec: *mut CUgraphExec,
        hGraph: CUgraph,
        instantiateParams: *mut CUDA_GRAPH_INSTANTIATE_PARAMS,
    ) [
        null(2) = CUDA_ERROR_INVALID_VALUE,
        // The body refuses it, after a look at the arguments.
        host_fn,
        after_fault_if_zero(&[2]),
    ] {
        let mut params = entry::read(instantiateParams)?;
        host_function::refuse()?;
        let failed = |code| (code, CUDA_GRAPH_INSTANTIATE_ERROR, 0);
        let made = entry::wanted(phGraphExec).map_err(failed).and_then(|()| match params.flags {
            0..4 | 8..12 => instantiate(hGraph, params.flags),
            4 | 6 | 12 | 14 => {
                let first = crate::model::graph::find(hGraph).map_err(failed)?.handles().first().copied();
                let what = CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED;
                Err((CUDA_ERROR_INVALID_VALUE, what, first.unwrap_or(0)))
            }
            _ => Err(failed(CUDA_ERROR_INVALID_VALUE)),
        });
        let (code, result, node) = match made {
            Ok(_) => (CUDA_SUCCESS, CUDA_GRAPH_INSTANTIATE_SUCCESS, 0),
            Err(refusal) => refusal,
        };
        params.result_out = result;
        params.hErrNode_out = std::ptr::without_provenance_mut(node);
        entry::write(instantiateParams, params)?;
        let handle = made.map_err(|_| code)?;
        entry::write(phGraphExec, std::ptr::without_provenance_mut(handle))
    }
    /// Does ahead what a launch would do first, which is nothing here; on no stream under capture (F195).
    fn cuGraphUpload(hGraph: CUgraphExec, hStream: CUstream) [host_fn] {
        let target = usable::target(hStream)?;
        let _exec = find(hGraph)?;
        capture::refuse(&target)
    }
    /// Enqueues an instantiated graph, on a stream of any context (F41) that is not captured.
    fn cuGraphLaunch(hGraphExec: CUgraphExec, hStream: CUstream) [
        host_fn,
        launch,
        zero_is_current(1),
    ] {
        let exec = find(hGraphExec)?;
        let target = usable::target(hStream)?;
        capture::refuse(&target)?;
        let levels = sync::lock(&exec.levels).clone();
        levels.iter().flatten().try_for_each(Node::check_life)?;
        let ready = launched(&levels)?;
        account(&levels, exec.frees)?;
        let levels = ready;
        let records: Vec<_> = levels.iter().flatten().map(|node| node.work.clone()).collect();
        let kept = sync::lock(&exec.objects).clone();
        let numbers = sync::lock(&exec.numbers).of_run();
        let mut last = sync::lock(&exec.last);
        let after = last.iter().cloned().collect();
        let ticket = if schedule::on() {
            target.life.submit_branches(&target.queue, after, branches(&levels, &kept, &numbers))?
        } else {
            let work = move || {
                let _kept = &kept;
                levels.iter().try_for_each(|level| run(level, &numbers))
            };
            target.life.submit(&target.queue, after, Label::of_call(), Box::new(work))?
        };
        for work in &records {
            if let NodeWork::RecordNow(event, stamp) = &**work {
                event.record_node(ticket.clone(), stamp.clone());
            }
        }
        *last = Some(ticket);
        Ok(())
    }
    /// The flags with which a graph was instantiated.
    fn cuGraphExecGetFlags(hGraphExec: CUgraphExec, flags: *mut cuuint64_t) {
        let exec = find(hGraphExec)?;
        // Only how launches free memory is told.
        entry::write(flags, exec.flags & 1)
    }
    /// Destroys an instantiated graph; runs of it still finish.
    fn cuGraphExecDestroy(hGraphExec: CUgraphExec) [after_fault, no_capture] {
        EXECS.remove(hGraphExec.addr()).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        Ok(())
    }
}
