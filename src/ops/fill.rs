//! Fills.
#![allow(unsafe_code, reason = "calls the driver")]

use super::{NodeOperation, Operation, Owned, Slot};
use crate::args::sealed::Operands;
use crate::call::{Answer, answer, name};
use crate::memory::Element;
use crate::memory::access::Access;
use ffi::{CUDA_MEMSET_NODE_PARAMS, CUcontext, CUstream};
use std::ops::Deref;

/// A fill that sets all elements to a value.
pub(crate) struct Fill<'a> {
    to: Access<'a>,
    /// The bytes of the value; only the first `size` count.
    value: u32,
    /// The size of a value in bytes: 1, 2 or 4.
    size: usize,
    /// The number of values.
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
    pub(crate) fn value<T: Element>(to: Access<'a>, value: T) -> Self {
        Fill { to, value: pattern(&value), size: size_of::<T>(), len: to.len }
    }

    /// Returns the name of the driver function for values of this size.
    #[inline]
    pub(crate) const fn call_for(size: usize) -> &'static str {
        match size {
            1 => name!(cuMemsetD8Async),
            2 => name!(cuMemsetD16Async),
            _ => name!(cuMemsetD32Async),
        }
    }
}

impl Operation for Fill<'_> {
    #[inline]
    fn call(&self) -> &'static str {
        Self::call_for(self.size)
    }

    #[inline]
    fn uses(&self) -> impl Deref<Target: Operands> {
        Owned((self.to,))
    }

    #[inline]
    unsafe fn enqueue(&self, stream: CUstream) -> Answer {
        let Fill { to, value, size, len } = *self;
        let to = to.address;
        // SAFETY, of each: `len` values of that size lie there, and the value is one of the elements. The rest is the
        // caller's obligation 1.
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

impl NodeOperation for Fill<'_> {
    const ADD: &'static str = name!(cuGraphAddMemsetNode);

    unsafe fn add(&self, slot: Slot, context: CUcontext) -> Answer {
        let Slot { node, graph, before, count } = slot;
        let params = CUDA_MEMSET_NODE_PARAMS {
            dst: self.to.address,
            pitch: 0,
            value: self.value,
            elementSize: self.size as u32,
            width: self.len,
            height: 1,
        };
        let params = &raw const params;
        // SAFETY: `len` values of that size lie there, and the value is one of the elements. The rest is the caller's
        // obligations 1 and 2.
        unsafe { answer!(cuGraphAddMemsetNode(node, graph, before, count, params, context)) }
    }
}

/// Returns the value of a fill as a number that has the bytes of the value first in memory.
#[inline]
pub(crate) fn pattern<T: Element>(value: &T) -> u32 {
    const { assert!(matches!(size_of::<T>(), 1 | 2 | 4), "elements have 1, 2 or 4 bytes") };
    match *bytemuck::bytes_of(value) {
        [a] => a.into(),
        [a, b] => u16::from_ne_bytes([a, b]).into(),
        [a, b, c, d] => u32::from_ne_bytes([a, b, c, d]),
        // Excluded above.
        _ => 0,
    }
}
