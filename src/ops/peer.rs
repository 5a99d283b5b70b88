//! Copies between contexts.
#![allow(unsafe_code, reason = "calls the driver")]

use super::enqueue::{no_array, same_extent};
use super::{Operation, Owned, rows};
use crate::args::sealed::Operands;
use crate::call::{Answer, answer, name};
use crate::context::Context;
use crate::error::Result;
use crate::memory::access::Access;
use crate::memory::grid::Grid;
use ffi::{CUcontext, CUstream};
use std::ops::Deref;
use std::ptr;

/// Copies device memory of one context to that of another one, on a stream of either.
///
/// Each memory knows its own context, with which the driver gets it. The surface compares only the context of the end that
/// belongs to the stream's.
pub(crate) struct CopyPeer<'a> {
    from: Access<'a>,
    to: Access<'a>,
}

impl<'a> CopyPeer<'a> {
    /// Creates a copy from another context, on a stream of the destination's. The two are distinct, since `to` is
    /// borrowed exclusively.
    #[inline]
    pub(crate) fn from_peer(from: Access<'a>, to: Access<'a>) -> Self {
        CopyPeer { from: from.of_any_context(), to }
    }

    /// Creates a copy to another context, on a stream of the source's. The two are distinct, since `to` is borrowed
    /// exclusively.
    #[inline]
    pub(crate) fn to_peer(from: Access<'a>, to: Access<'a>) -> Self {
        CopyPeer { from, to: to.of_any_context() }
    }

    /// Returns the grid with the extent of the copy, if one of the two has rows.
    #[inline]
    fn grid(&self) -> Option<&'a Grid> {
        self.from.grid.or(self.to.grid)
    }

    /// Returns the contexts of the source and of the destination.
    #[inline]
    fn contexts(&self) -> [CUcontext; 2] {
        [&self.from, &self.to].map(|access| access.context().map_or(ptr::null_mut(), Context::raw))
    }
}

impl Operation for CopyPeer<'_> {
    #[inline]
    fn call(&self) -> &'static str {
        match self.grid() {
            Some(_) => name!(cuMemcpy3DPeerAsync),
            None => name!(cuMemcpyPeerAsync),
        }
    }

    #[inline]
    fn check(&self, call: &'static str) -> Result {
        if self.from.is_array() || self.to.is_array() {
            return no_array(call);
        }
        same_extent(call, &self.from, &self.to)
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.to.len == 0
    }

    #[inline]
    fn uses(&self) -> impl Deref<Target: Operands> {
        Owned((self.from, self.to))
    }

    #[inline]
    unsafe fn enqueue(&self, stream: CUstream) -> Answer {
        let contexts = self.contexts();
        if let Some(grid) = self.grid() {
            let (from, to) = (rows::End::device(&self.from), rows::End::device(&self.to));
            let params = rows::params(&from, &to, Some(grid), &self.to);
            // SAFETY: 1. Both have the extent of the copy (obligation 1), and they are distinct. Their contexts are
            // alive, as each allocation owns its own and a range borrows it. 2. The caller's obligation 2.
            return unsafe { rows::enqueue_peer(&params, contexts, stream) };
        }
        let [from_context, to_context] = contexts;
        let (to, from, bytes) = (self.to.address, self.from.address, self.to.bytes());
        // SAFETY: both have as many elements (obligation 1), and they are distinct. Their contexts are alive, as each
        // allocation owns its own and a range borrows it, and none need be current (F341). The rest is the caller's obligation 2: the copy is
        // over when the stream is past it (F341).
        unsafe { answer!(cuMemcpyPeerAsync(to, to_context, from, from_context, bytes, stream)) }
    }
}
