//! Operations on memory. Each is checked and handed to the driver in one place. A surface decides when the memory is
//! free again: operations on a stream wait, those of a scope or a capture are ordered by their uses, and a graph
//! keeps the memory of its nodes.
#![allow(unsafe_code, reason = "operations use memory that the surfaces vouch for")]

mod copy;
pub(crate) mod enqueue;
mod fill;
mod rows;
mod transfer;

pub(crate) use copy::Copy;
pub(crate) use fill::{Fill, pattern};
pub(crate) use transfer::{Download, Upload};

use crate::args::sealed::Operands;
use crate::error::Result;
use crate::registry::LentHost;
use ffi::{CUcontext, CUgraph, CUgraphNode, CUstream};

/// An operation on memory.
pub(crate) trait Operation {
    /// Returns the name of the driver function.
    fn call(&self) -> &'static str;

    /// Checks that the memory suits the operation, which `call` is to perform. The surfaces compare the contexts.
    ///
    /// # Errors
    /// The lengths or extents of a copy differ.
    #[inline]
    fn check(&self, _call: &'static str) -> Result {
        Ok(())
    }

    /// Returns the accesses to memory.
    fn uses(&self) -> impl Operands + '_;

    /// Returns the host memory of the operation, which may be page-locked.
    #[inline]
    fn host(&self) -> LentHost {
        LentHost::NONE
    }

    /// Enqueues the operation with one call, which may return before the device is done. No context need be current
    /// ([F34](crate::driver_facts#F34)).
    ///
    /// # Safety
    /// 1. [`check`](Self::check) accepted the operation.
    /// 2. The stream is alive, and so is all memory of the operation. Until the stream is past it, nobody frees that,
    ///    writes what the operation reads, or uses what it writes.
    unsafe fn enqueue(&self, stream: CUstream) -> Result;
}

/// An operation that can be a node of a graph.
pub(crate) trait NodeOperation: Operation {
    /// The name of the driver function that adds the node.
    const ADD: &'static str;

    /// Returns why one node cannot perform the operation.
    #[inline]
    fn no_node(&self) -> Option<&'static str> {
        None
    }

    /// Adds the node to a graph. No context need be current, and captures do not refuse the call
    /// ([F217](crate::driver_facts#F217)).
    ///
    /// # Safety
    /// 1. [`no_node`](Self::no_node) returned `None`. The graph and the context are alive, and the nodes before are nodes of the graph, each once. The new one
    ///    is written to a place that is valid for it.
    /// 2. Whenever the graph runs, what [`enqueue`](Operation::enqueue) asks for holds.
    unsafe fn add(&self, slot: Slot, context: CUcontext) -> crate::call::Answer;
}

/// The place of a new node, in the form that the driver takes.
#[derive(Clone, Copy)]
pub(crate) struct Slot {
    pub(crate) node: *mut CUgraphNode,
    pub(crate) graph: CUgraph,
    pub(crate) before: *const CUgraphNode,
    pub(crate) count: usize,
}

/// Returns parameters that are all zeros, which the driver expects in unused fields.
pub(crate) fn zeros<T: Params>() -> T {
    // SAFETY: the structures that are `Params` hold numbers, pointers and unions of these, for all of
    // which zeros are a value.
    unsafe { std::mem::zeroed() }
}

/// # Safety
/// 1. All zeros are a value.
pub(crate) unsafe trait Params {}
// SAFETY: numbers, enumerations that are numbers, pointers, and a union of numbers.
unsafe impl Params for ffi::CUDA_MEM_ALLOC_NODE_PARAMS {}
// SAFETY: numbers, enumerations that are numbers, pointers.
unsafe impl Params for ffi::CUDA_MEMCPY3D {}
