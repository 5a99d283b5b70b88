//! Graphs.
#![allow(unsafe_code, reason = "exported functions")]

use crate::context;
use crate::driver::driver as state;
use crate::entry::{self, Answer, driver};
use crate::life::Life;
use crate::memory::set::Pattern;
use crate::memory::space::Kind;
use crate::{stack, stream, sync};
use core::ffi::{c_uint, c_ulonglong};
use cuscope_sys::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// The flags of an instantiation: freed memory at a launch, launches by the device, priorities. To
/// upload it at once (2) is for another function.
const INSTANTIATE_FLAGS: c_ulonglong = 1 | 4 | 8;

/// A graph under construction.
#[derive(Default)]
pub(crate) struct Graph {
    nodes: Mutex<Vec<Node>>,
}

/// A graph that can run: its nodes, each behind what it depends on.
pub(crate) struct Exec {
    nodes: Arc<[Node]>,
}

/// A fill of memory.
#[derive(Clone)]
struct Node {
    /// The value of its handle.
    handle: usize,
    life: Arc<Life>,
    to: u64,
    pitch: u64,
    pattern: Pattern,
    width: usize,
    rows: usize,
}

/// The value of a new node's handle.
fn next_handle() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0x58 << 56);
    NEXT.fetch_add(0x10, Ordering::Relaxed) + 0x10
}

impl Node {
    /// Checks the parameters: the rows have to lie in memory of the context's device.
    fn new(life: Arc<Life>, params: &CUDA_MEMSET_NODE_PARAMS) -> Answer<Self> {
        let invalid = CUDA_ERROR_INVALID_VALUE;
        let size = params.elementSize as usize;
        let pattern = Pattern::new(params.value, size)?;
        let row = params.width.checked_mul(size).filter(|&row| row > 0).ok_or(invalid)?;
        let rows = params.height;
        let (bytes, pitch) = match rows {
            0 => return Err(invalid),
            1 => (row, 0),
            _ if params.pitch < row || !params.pitch.is_multiple_of(size) => return Err(invalid),
            _ => {
                let before = params.pitch.checked_mul(rows - 1).ok_or(invalid)?;
                (before.checked_add(row).ok_or(invalid)?, params.pitch)
            }
        };
        let allocation = state().space.find(params.dst, bytes)?;
        let elsewhere = allocation.kind != Kind::Host && allocation.life.device != life.device;
        if elsewhere || !params.dst.is_multiple_of(size as u64) {
            return Err(invalid);
        }
        let (to, width) = (params.dst, params.width);
        let pitch = pitch as u64;
        Ok(Self { handle: next_handle(), life, to, pitch, pattern, width, rows })
    }

    /// Fills. Memory that is gone by now is a failed launch; under a kernel it would be an illegal
    /// address (F94).
    fn run(&self) -> Answer {
        for row in 0..self.rows as u64 {
            let to = self.to + row * self.pitch;
            let found = state().space.find_running(to, self.width * self.pattern.size);
            self.pattern.fill(&*found.ok_or(CUDA_ERROR_LAUNCH_FAILED)?, to, self.width);
        }
        Ok(())
    }
}

/// The graph of a handle; INVALID_VALUE for what is none.
fn find(handle: CUgraph) -> Answer<Arc<Graph>> {
    state().graphs.get(handle.addr()).ok_or(CUDA_ERROR_INVALID_VALUE)
}

driver! {
    /// Creates an empty graph; needs no context (F41).
    fn cuGraphCreate(phGraph: *mut CUgraph, flags: c_uint) {
        entry::wanted(phGraph)?;
        if flags != 0 {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let (handle, _) = state().graphs.insert(|_| Graph::default());
        entry::write(phGraph, std::ptr::without_provenance_mut(handle))
    }
    /// Destroys a graph; what was instantiated from it stays.
    fn cuGraphDestroy(hGraph: CUgraph) {
        state().graphs.remove(hGraph.addr()).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        Ok(())
    }
    /// Adds a fill behind nodes of the same graph, each named once. Without a context it is in that
    /// of the memory.
    fn cuGraphAddMemsetNode(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        memsetParams: *const CUDA_MEMSET_NODE_PARAMS,
        ctx: CUcontext,
    ) {
        entry::wanted(phGraphNode)?;
        let graph = find(hGraph)?;
        let params = entry::read(memsetParams)?;
        let life = match ctx.is_null() {
            true => state().space.find(params.dst, 1)?.life.clone(),
            false => context::find(ctx)?.life()?.home(),
        };
        let mut nodes = sync::lock(&graph.nodes);
        for i in 0..numDependencies {
            let before = entry::element(dependencies, i)?.addr();
            let known = nodes.iter().any(|node| node.handle == before);
            let again = (0..i).any(|j| {
                entry::element(dependencies, j).is_ok_and(|earlier| earlier.addr() == before)
            });
            if !known || again {
                return Err(CUDA_ERROR_INVALID_VALUE);
            }
        }
        let node = Node::new(life, &params)?;
        let handle = node.handle;
        nodes.push(node);
        entry::write(phGraphNode, std::ptr::without_provenance_mut(handle))
    }
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
        let nodes = sync::lock(&graph.nodes).as_slice().into();
        let (handle, _) = state().execs.insert(|_| Exec { nodes });
        entry::write(phGraphExec, std::ptr::without_provenance_mut(handle))
    }
    /// Enqueues an instantiated graph, on a stream of any context (F41).
    fn cuGraphLaunch(hGraphExec: CUgraphExec, hStream: CUstream) {
        let exec = state().execs.get(hGraphExec.addr()).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        let target = stream::target(hStream)?;
        exec.nodes.iter().try_for_each(|node| node.life.check())?;
        let nodes = exec.nodes.clone();
        target.submit(move || nodes.iter().try_for_each(Node::run))?;
        Ok(())
    }
    /// Destroys an instantiated graph; runs of it still finish.
    fn cuGraphExecDestroy(hGraphExec: CUgraphExec) {
        state().execs.remove(hGraphExec.addr()).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        Ok(())
    }
}
