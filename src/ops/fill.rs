//! Fills.
#![allow(unsafe_code, reason = "calls the driver")]

use super::enqueue::no_array;
use super::{NodeOperation, Operation, Owned, Slot};
use crate::args::sealed::Operands;
use crate::call::{Answer, answer, name};
use crate::error::Result;
use crate::memory::Fillable;
use crate::memory::access::Access;
use crate::memory::grid::Grid;
use ffi::{CUDA_MEMSET_NODE_PARAMS, CUcontext, CUdeviceptr, CUstream};
use std::ops::Deref;

/// A fill that sets all elements to a value.
pub(crate) struct Fill<'a> {
    to: Access<'a>,
    /// The bytes of the value; only the first `size` count.
    value: u32,
    /// The size of a value in bytes: 1, 2 or 4.
    size: usize,
    /// The number of values, in all rows.
    len: usize,
}

impl<'a> Fill<'a> {
    /// Creates a fill that sets every byte to zero, which is a value of every element (`Element: AnyBitPattern`).
    #[inline]
    pub(crate) fn zero(to: Access<'a>) -> Self {
        Fill { to, value: 0, size: 1, len: to.bytes() }
    }

    /// Creates a fill of elements of type `T`, which have 1, 2 or 4 bytes: others do not compile.
    #[inline]
    pub(crate) fn value<T: Fillable>(to: Access<'a>, value: T) -> Self {
        Fill { to, value: pattern(&value), size: size_of::<T>(), len: to.len }
    }
}

impl Operation for Fill<'_> {
    #[inline]
    fn call(&self) -> &'static str {
        match (self.size, self.to.grid) {
            (1, None) => name!(cuMemsetD8Async),
            (2, None) => name!(cuMemsetD16Async),
            (_, None) => name!(cuMemsetD32Async),
            (1, Some(_)) => name!(cuMemsetD2D8Async),
            (2, Some(_)) => name!(cuMemsetD2D16Async),
            (_, Some(_)) => name!(cuMemsetD2D32Async),
        }
    }

    #[inline]
    fn check(&self, call: &'static str) -> Result {
        if self.to.is_array() { no_array(call) } else { Ok(()) }
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.len == 0
    }

    #[inline]
    fn uses(&self) -> impl Deref<Target: Operands> {
        Owned((self.to,))
    }

    #[inline]
    fn is_one_call(&self) -> bool {
        self.to.grid.is_none_or(|grid| grid.runs().len() == 1)
    }

    #[inline]
    unsafe fn enqueue(&self, stream: CUstream) -> Answer {
        let Fill { to, value, size, len } = *self;
        if let Some(grid) = to.grid {
            // SAFETY: the caller's obligations 1 and 2.
            return unsafe { self.enqueue_rows(grid, stream) };
        }
        let to = to.address;
        // SAFETY, of each: `len` values of that size lie there, and the value is one of the elements. The rest is the
        // caller's obligation 2.
        match size {
            // SAFETY: as above.
            1 => unsafe { answer!(cuMemsetD8Async(to, value as u8, len, stream)) },
            // SAFETY: as above.
            2 => unsafe { answer!(cuMemsetD16Async(to, value as u16, len, stream)) },
            // SAFETY: as above.
            _ => unsafe { answer!(cuMemsetD32Async(to, value, len, stream)) },
        }
    }
}

impl Fill<'_> {
    /// Fills rows with one call for those that are one pitch apart.
    ///
    /// # Safety
    /// 1. and 2. of [`enqueue`](Operation::enqueue).
    #[inline(never)]
    unsafe fn enqueue_rows(&self, grid: &Grid, stream: CUstream) -> Answer {
        let Fill { to, value, size, len } = *self;
        let (pitch, width) = (grid.pitch, len / grid.all_rows());
        let fill = |(offset, rows)| {
            let to = to.address + offset as CUdeviceptr;
            // SAFETY, of each: `rows` rows of `width` values of that size lie there, one pitch apart, and the value is
            // one of the elements. The rest is the caller's obligation 2.
            match size {
                // SAFETY: as above.
                1 => unsafe {
                    answer!(cuMemsetD2D8Async(to, pitch, value as u8, width, rows, stream))
                },
                // SAFETY: as above.
                2 => unsafe {
                    answer!(cuMemsetD2D16Async(to, pitch, value as u16, width, rows, stream))
                },
                // SAFETY: as above.
                _ => unsafe { answer!(cuMemsetD2D32Async(to, pitch, value, width, rows, stream)) },
            }
        };
        let mut answers = grid.runs().map(fill);
        let failed = answers.find(|answer| answer.code != ffi::CUDA_SUCCESS);
        failed.unwrap_or(Answer::new(self.call(), ffi::CUDA_SUCCESS))
    }
}

impl NodeOperation for Fill<'_> {
    const ADD: &'static str = name!(cuGraphAddMemsetNode);

    #[inline]
    fn no_node(&self) -> Option<&'static str> {
        (!self.is_one_call()).then_some(
            "a node fills the rows of one plane, or whole planes: add one for each plane",
        )
    }

    unsafe fn add(&self, slot: Slot, context: CUcontext) -> Answer {
        let Slot { node, graph, before, count } = slot;
        let (pitch, height) = self.to.grid.map_or((0, 1), |grid| (grid.pitch, grid.all_rows()));
        let params = CUDA_MEMSET_NODE_PARAMS {
            dst: self.to.address,
            pitch,
            value: self.value,
            elementSize: self.size as u32,
            width: self.len / height,
            height,
        };
        let params = &raw const params;
        // SAFETY: `len` values of that size lie there, in rows that are one pitch apart (obligation 1), and the value
        // is one of the elements. The rest is the caller's obligations 1 and 2.
        unsafe { answer!(cuGraphAddMemsetNode(node, graph, before, count, params, context)) }
    }
}

/// Returns the value of a fill as a number that has the bytes of the value first in memory.
#[inline]
pub(crate) fn pattern<T: Fillable>(value: &T) -> u32 {
    const { assert!(matches!(size_of::<T>(), 1 | 2 | 4), "elements have 1, 2 or 4 bytes") };
    match *bytemuck::bytes_of(value) {
        [a] => a.into(),
        [a, b] => u16::from_ne_bytes([a, b]).into(),
        [a, b, c, d] => u32::from_ne_bytes([a, b, c, d]),
        // Excluded above.
        _ => 0,
    }
}
