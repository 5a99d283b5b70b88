//! Copies between the host and the device.
#![allow(unsafe_code, reason = "calls the driver")]

use super::enqueue::same_len;
use super::{Operation, Owned, rows};
use crate::args::sealed::Operands;
use crate::call::{Answer, answer, name};
use crate::error::Result;
use crate::memory::Element;
use crate::memory::access::Access;
use crate::registry::LentHost;
use ffi::CUstream;
use std::ffi::c_void;
use std::ops::Deref;

/// Returns the host memory of a copy. For a copy with an array nobody has measured that it is complete when its call
/// returns, so the memory counts as page-locked.
#[inline(always)]
fn lent(host: *const c_void, bytes: usize, device: &Access<'_>) -> LentHost {
    if device.is_array() { LentHost::AS_LOCKED } else { LentHost::new(host, bytes) }
}

/// A copy of a slice to the device.
pub(crate) struct Upload<'a> {
    from: *const c_void,
    /// The number of elements of the slice.
    len: usize,
    to: Access<'a>,
    /// The access to the host memory, if a scope notes it.
    staged: Access<'a>,
}

impl<'a> Upload<'a> {
    /// Creates a copy of a slice to memory of equal length. For memory with rows, the slice holds them packed.
    #[inline]
    pub(crate) fn new<T: Element>(from: *const [T], to: Access<'a>) -> Self {
        Upload { from: from.cast(), len: from.len(), to, staged: Access::NONE }
    }

    /// Creates a copy of `len` elements whose bytes lie at `from`.
    #[inline]
    pub(crate) fn from_bytes(from: *const u8, len: usize, to: Access<'a>) -> Self {
        Upload { from: from.cast(), len, to, staged: Access::NONE }
    }

    /// Adds the access to the host memory, which the scope notes.
    #[inline]
    pub(crate) fn staged(self, staged: Access<'a>) -> Self {
        Upload { staged, ..self }
    }
}

impl Operation for Upload<'_> {
    #[inline]
    fn call(&self) -> &'static str {
        self.to.grid.map_or(name!(cuMemcpyHtoDAsync_v2), rows::call_for)
    }

    #[inline]
    fn check(&self, call: &'static str) -> Result {
        same_len(call, self.len, self.to.len)
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.to.len == 0
    }

    #[inline]
    fn uses(&self) -> impl Deref<Target: Operands> {
        Owned((self.to, self.staged))
    }

    #[inline]
    fn host(&self) -> LentHost {
        lent(self.from, self.to.bytes(), &self.to)
    }

    #[inline]
    unsafe fn enqueue(&self, stream: CUstream) -> Answer {
        if self.to.grid.is_some() {
            // SAFETY: the caller's obligations 1 and 2.
            return unsafe { self.enqueue_rows(stream) };
        }
        let (from, to, bytes) = (self.from, self.to.address, self.to.bytes());
        // SAFETY: both have as many elements (obligation 1), and those of the host are initialised (`Element:
        // NoUninit`). The rest is the caller's obligation 2.
        unsafe { answer!(cuMemcpyHtoDAsync_v2(to, from, bytes, stream)) }
    }
}

impl Upload<'_> {
    /// Copies to rows, or to an array.
    ///
    /// # Safety
    /// 1. and 2. of [`Operation::enqueue`].
    #[inline(never)]
    unsafe fn enqueue_rows(&self, stream: CUstream) -> Answer {
        let (from, to) = (rows::End::host(self.from), rows::End::device(&self.to));
        let params = rows::params(&from, &to, self.to.grid, &self.to);
        // SAFETY: 1. Both have as many elements (obligation 1), and those of the host are initialised (`Element:
        // NoUninit`). 2. The caller's obligation 2.
        unsafe { rows::enqueue(&params, stream) }
    }
}

/// A copy of device memory to a slice.
pub(crate) struct Download<'a> {
    from: Access<'a>,
    to: *mut c_void,
    /// The number of elements of the slice.
    len: usize,
    /// The access to the host memory, if a scope notes it.
    staged: Access<'a>,
}

impl<'a> Download<'a> {
    /// Creates a copy of memory to a slice of equal length. For memory with rows, the slice receives them packed.
    #[inline]
    pub(crate) fn new<T: Element>(from: Access<'a>, to: *mut [T]) -> Self {
        Download { from, len: to.len(), to: to.cast(), staged: Access::NONE }
    }

    /// Adds the access to the host memory, which the scope notes.
    #[inline]
    pub(crate) fn staged(self, staged: Access<'a>) -> Self {
        Download { staged, ..self }
    }
}

impl Operation for Download<'_> {
    #[inline]
    fn call(&self) -> &'static str {
        self.from.grid.map_or(name!(cuMemcpyDtoHAsync_v2), rows::call_for)
    }

    #[inline]
    fn check(&self, call: &'static str) -> Result {
        same_len(call, self.from.len, self.len)
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.from.len == 0
    }

    #[inline]
    fn uses(&self) -> impl Deref<Target: Operands> {
        Owned((self.staged, self.from))
    }

    #[inline]
    fn host(&self) -> LentHost {
        lent(self.to, self.from.bytes(), &self.from)
    }

    #[inline]
    unsafe fn enqueue(&self, stream: CUstream) -> Answer {
        if self.from.grid.is_some() {
            // SAFETY: the caller's obligations 1 and 2.
            return unsafe { self.enqueue_rows(stream) };
        }
        let (to, from, bytes) = (self.to, self.from.address, self.from.bytes());
        // SAFETY: both have as many elements (obligation 1), of which any bytes are values (`Element:
        // AnyBitPattern`). The rest is the caller's obligation 2.
        unsafe { answer!(cuMemcpyDtoHAsync_v2(to, from, bytes, stream)) }
    }
}

impl Download<'_> {
    /// Copies from rows, or from an array.
    ///
    /// # Safety
    /// 1. and 2. of [`Operation::enqueue`].
    #[inline(never)]
    unsafe fn enqueue_rows(&self, stream: CUstream) -> Answer {
        let (from, to) = (rows::End::device(&self.from), rows::End::host(self.to));
        let params = rows::params(&from, &to, self.from.grid, &self.from);
        // SAFETY: 1. Both have as many elements (obligation 1), of which any bytes are values (`Element: AnyBitPattern`).
        // 2. The caller's obligation 2.
        unsafe { rows::enqueue(&params, stream) }
    }
}
