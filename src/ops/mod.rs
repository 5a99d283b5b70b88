//! Operations on memory: copies, fills and launches. Each is checked and handed to the driver in one place. A surface
//! decides when the memory is free again: operations on a stream wait, those of a scope or a capture are ordered by
//! their uses, and a graph keeps the memory of its nodes.
#![allow(unsafe_code, reason = "operations use memory that the surfaces vouch for")]

mod batch;
mod copy;
pub(crate) mod enqueue;
mod fill;
mod launch;
mod managed;
mod peer;
mod rows;
mod transfer;

pub(crate) use batch::{CopyBatch, CopyWith};
pub(crate) use copy::Copy;
pub(crate) use fill::{Fill, pattern};
pub(crate) use launch::Launch;
pub(crate) use managed::{Attach, Discard, Prefetch};
pub(crate) use peer::CopyPeer;
pub(crate) use transfer::{Download, Upload};

use crate::args::sealed::Operands;
use crate::call::Answer;
use crate::error::{Error, Result};
use crate::registry::LentHost;
use ffi::{CUcontext, CUgraph, CUgraphExec, CUgraphNode, CUstream};
use std::ops::Deref;

/// An operation on memory.
pub(crate) trait Operation {
    /// Returns the name of the driver function.
    fn call(&self) -> &'static str;

    /// Checks that the memory suits the operation, which `call` is to perform. The surfaces compare the contexts.
    ///
    /// # Errors
    /// The lengths or extents of a copy differ, or listed arguments do not fit the kernel.
    #[inline]
    fn check(&self, _call: &'static str) -> Result {
        Ok(())
    }

    /// Returns whether there is nothing to do: it has no elements, or no blocks.
    fn is_empty(&self) -> bool;

    /// Returns the accesses to memory.
    fn uses(&self) -> impl Deref<Target: Operands>;

    /// Returns the host memory of the operation, which may be page-locked.
    #[inline]
    fn host(&self) -> LentHost {
        LentHost::NONE
    }

    /// Returns whether one call enqueues it. With several, an error of one does not prove that nothing was enqueued.
    #[inline]
    fn is_one_call(&self) -> bool {
        true
    }

    /// Returns whether everything else that it uses belongs to the context with this [key](crate::Context::key),
    /// unless the driver compares that itself.
    #[inline]
    fn others_are_of(&self, _key: usize) -> bool {
        true
    }

    /// Enqueues the operation, usually with [one call](Self::is_one_call). It may return before the device is done. No
    /// context need be current ([F34](crate::driver_facts#F34)).
    ///
    /// # Safety
    /// 1. [`check`](Self::check) accepted the operation.
    /// 2. The stream is alive, and so is all memory of the operation. Until the stream is past it, nobody frees that,
    ///    writes what the operation reads, or uses what it writes.
    unsafe fn enqueue(&self, stream: CUstream) -> Answer;

    /// Returns the error of a call that failed, on a stream of the context with this [key](crate::Context::key).
    #[inline]
    fn refused(&self, answer: Answer, _key: usize) -> Result {
        answer.result()
    }

    /// Enqueues the operation, unless it [is empty](Self::is_empty). If the driver refuses it, the error is that of a stream in the context whose
    /// [key](crate::Context::key) `own` returns.
    ///
    /// # Safety
    /// 1. and 2. of [`enqueue`](Self::enqueue).
    #[inline(always)]
    unsafe fn run(&self, stream: CUstream, own: impl FnOnce() -> usize) -> Result {
        if self.is_empty() {
            return Ok(());
        }
        // SAFETY: the caller's obligations 1 and 2.
        match unsafe { self.enqueue(stream) } {
            Answer { code: ffi::CUDA_SUCCESS, .. } => Ok(()),
            answer => self.refused(answer, own()),
        }
    }
}

/// Returns the error of a driver call that was to make a node for an operation, or to change one: with the reason that a
/// stream of the context with this [key](crate::Context::key) would give.
#[cold]
pub(crate) fn with_reason(operation: &impl Operation, error: Error, key: usize) -> Error {
    let Error::Driver(driver) = error else { return error };
    let answer = Answer::new(driver.call(), driver.code());
    operation.refused(answer, key).err().unwrap_or(error)
}

/// The accesses of an operation that creates them. A launch returns a reference to its arguments instead.
struct Owned<T>(T);

impl<T> Deref for Owned<T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        &self.0
    }
}

/// An operation that can be a node of a graph.
pub(crate) trait NodeOperation: Operation {
    /// The name of the driver function that adds the node.
    const ADD: &'static str;

    /// Whether the node belongs to the current context. Otherwise no context need be current.
    const ENTERS: bool = false;

    /// Returns why one node cannot perform the operation.
    #[inline]
    fn no_node(&self) -> Option<&'static str> {
        None
    }

    /// Returns whether everything that a node uses besides memory belongs to the context with this
    /// [key](crate::Context::key).
    #[inline]
    fn node_is_of(&self, _key: usize) -> bool {
        true
    }

    /// Adds the node to a graph. Captures do not refuse the call ([F217](crate::driver_facts#F217)).
    ///
    /// # Safety
    /// 1. [`no_node`](Self::no_node) returned `None`. The graph and the context are alive, and the nodes before are
    ///    nodes of the graph, each once. The new one is written to a place that is valid for it. If the node
    ///    [enters](Self::ENTERS) a context, it is current.
    /// 2. Whenever the graph runs, what [`enqueue`](Operation::enqueue) asks for holds.
    unsafe fn add(&self, slot: Slot, context: CUcontext) -> Answer;
}

/// The place of a new node, in the form that the driver takes.
#[derive(Clone, Copy)]
pub(crate) struct Slot {
    pub(crate) node: *mut CUgraphNode,
    pub(crate) graph: CUgraph,
    pub(crate) before: *const CUgraphNode,
    pub(crate) count: usize,
}

/// A node that is to be changed.
#[derive(Clone, Copy)]
pub(crate) struct NodeToSet {
    pub(crate) node: CUgraphNode,
    /// The executable graph in which it is changed, or `None` to change it in its own graph.
    pub(crate) exec: Option<CUgraphExec>,
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
// SAFETY: numbers, enumerations that are numbers, pointers.
unsafe impl Params for ffi::CUDA_MEMCPY3D_PEER {}
// SAFETY: numbers, enumerations that are numbers, and unions of numbers.
unsafe impl Params for ffi::CUmemcpyAttributes {}
// SAFETY: enumerations that are numbers, and unions of numbers.
unsafe impl Params for ffi::CUmemLocation {}
// SAFETY: an enumeration that is a number, and a union of numbers and pointers.
unsafe impl Params for ffi::CUmemcpy3DOperand {}
// SAFETY: numbers, enumerations that are numbers, and unions of numbers and pointers.
unsafe impl Params for ffi::CUDA_MEMCPY3D_BATCH_OP {}
