//! Copies on the device.
#![allow(unsafe_code, reason = "calls the driver")]

use super::enqueue::same_extent;
use super::{NodeOperation, NodeToSet, Operation, Owned, Slot, rows};
use crate::args::sealed::Operands;
use crate::call::{Answer, answer, name};
use crate::error::Result;
use crate::memory::access::Access;
use crate::memory::grid::Grid;
use ffi::{CUcontext, CUstream};
use std::ops::Deref;

/// Copies device memory to other memory of the device.
pub(crate) struct Copy<'a> {
    from: Access<'a>,
    to: Access<'a>,
}

impl<'a> Copy<'a> {
    /// Creates a copy. The two are distinct, since `to` is borrowed exclusively.
    #[inline]
    pub(crate) fn new(from: Access<'a>, to: Access<'a>) -> Self {
        Copy { from, to }
    }

    /// Returns the grid with the extent of the copy, if one of the two has rows.
    #[inline]
    fn grid(&self) -> Option<&'a Grid> {
        if self.to.is_array() { self.to.grid } else { self.from.grid.or(self.to.grid) }
    }

    fn params(&self) -> ffi::CUDA_MEMCPY3D {
        let (from, to) = (rows::End::device(&self.from), rows::End::device(&self.to));
        rows::params(&from, &to, self.grid(), &self.to)
    }

    /// Changes a copy node to this copy.
    ///
    /// # Safety
    /// 1. [`check`](Operation::check) accepted the copy. The graph is alive, nothing runs it, and this is one of its copy
    ///    nodes. The context is alive.
    /// 2. Whenever the graph runs, what [`enqueue`](Operation::enqueue) asks for holds.
    pub(crate) unsafe fn set(&self, to: NodeToSet, context: CUcontext) -> Answer {
        let NodeToSet { node, exec } = to;
        let params = self.params();
        let params = &raw const params;
        match exec {
            // SAFETY: both have the extent of the copy, and they are distinct. The rest is the caller's obligations 1 and
            // 2.
            Some(exec) => unsafe {
                answer!(cuGraphExecMemcpyNodeSetParams(exec, node, params, context))
            },
            // SAFETY: as above.
            None => unsafe { answer!(cuGraphMemcpyNodeSetParams(node, params)) },
        }
    }
}

impl Operation for Copy<'_> {
    #[inline]
    fn call(&self) -> &'static str {
        self.grid().map_or(name!(cuMemcpyDtoDAsync_v2), rows::call_for)
    }

    #[inline]
    fn check(&self, call: &'static str) -> Result {
        same_extent(call, &self.from, &self.to)
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.from.len == 0
    }

    #[inline]
    fn uses(&self) -> impl Deref<Target: Operands> {
        Owned((self.to, self.from))
    }

    #[inline]
    unsafe fn enqueue(&self, stream: CUstream) -> Answer {
        if self.grid().is_some() {
            // SAFETY: 1. Both have the extent of the copy (obligation 1), and they are distinct. 2. The caller's
            // obligation 2.
            return unsafe { rows::enqueue(&self.params(), stream) };
        }
        let (to, from, bytes) = (self.to.address, self.from.address, self.to.bytes());
        // SAFETY: both have as many elements (obligation 1), and they are distinct. The rest is the caller's
        // obligation 2.
        unsafe { answer!(cuMemcpyDtoDAsync_v2(to, from, bytes, stream)) }
    }
}

impl NodeOperation for Copy<'_> {
    const ADD: &'static str = name!(cuGraphAddMemcpyNode);

    unsafe fn add(&self, slot: Slot, context: CUcontext) -> Answer {
        let Slot { node, graph, before, count } = slot;
        let params = self.params();
        let params = &raw const params;
        // SAFETY: both have the extent of the copy, and they are distinct. The rest is the caller's obligations 1 and 2.
        unsafe { answer!(cuGraphAddMemcpyNode(node, graph, before, count, params, context)) }
    }
}
