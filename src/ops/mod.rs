//! Operations on memory: each is checked, and handed to the driver, in one place. A surface adds when the memory
//! is free again: the operations of a stream wait, those of a scope and of a capture are ordered by their uses, and
//! a graph keeps the memory of its nodes.
#![allow(unsafe_code, reason = "operations use memory that the surfaces vouch for")]

mod copy;
pub(crate) mod enqueue;
mod fill;
mod transfer;

pub(crate) use copy::Copy;
pub(crate) use fill::{Fill, pattern};
pub(crate) use transfer::{Download, Upload};

use crate::args::sealed::Operands;
use crate::error::Result;
use crate::registry::LentHost;
use ffi::{CUcontext, CUgraph, CUgraphNode, CUstream};

/// An operation on memory, which was checked but for the context.
pub(crate) trait Operation {
    /// The driver function.
    fn call(&self) -> &'static str;

    /// The memory of the device, and how it is used.
    fn uses(&self) -> impl Operands + '_;

    /// The memory of the host, which may be page-locked.
    #[inline]
    fn host(&self) -> LentHost {
        LentHost::NONE
    }

    /// Enqueues it: one call, which may return before the device is done. No context need be current (F34).
    ///
    /// # Safety
    /// 1. The stream is alive, and so is all memory of the operation. Until the stream is past it, nobody frees that,
    ///    writes what the operation reads, or uses what it writes.
    unsafe fn enqueue(&self, stream: CUstream) -> Result;
}

/// An operation that is a node of a graph too.
pub(crate) trait NodeOperation: Operation {
    /// The driver function that adds it.
    const ADD: &'static str;

    /// Adds it to a graph. No context need be current, and captures do not refuse it (F217).
    ///
    /// # Safety
    /// 1. The graph and the context are alive, and the nodes before are nodes of the graph, each once. The new one
    ///    is written to a place that is valid for it.
    /// 2. Whenever the graph runs, what [`enqueue`](Operation::enqueue) asks for holds.
    unsafe fn add(&self, slot: Slot, context: CUcontext) -> crate::call::Answer;
}

/// Where a node goes, as the driver takes it.
#[derive(Clone, Copy)]
pub(crate) struct Slot {
    pub(crate) node: *mut CUgraphNode,
    pub(crate) graph: CUgraph,
    pub(crate) before: *const CUgraphNode,
    pub(crate) count: usize,
}
