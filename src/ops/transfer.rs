//! Copies between the host and the device.
#![allow(unsafe_code, reason = "calls the driver")]

use super::{Operation, Owned};
use crate::args::sealed::Operands;
use crate::call::{Answer, answer, name};
use crate::memory::Element;
use crate::memory::access::Access;
use crate::registry::LentHost;
use ffi::CUstream;
use std::ffi::c_void;
use std::ops::Deref;

/// A copy of a slice to the device.
pub(crate) struct Upload<'a> {
    from: *const c_void,
    to: Access<'a>,
    /// The access to the host memory, if a scope notes it.
    staged: Access<'a>,
}

impl<'a> Upload<'a> {
    pub(crate) const CALL: &'static str = name!(cuMemcpyHtoDAsync_v2);

    /// Creates a copy between a slice and memory of equal length.
    #[inline]
    pub(crate) fn new<T: Element>(from: *const [T], to: Access<'a>) -> Self {
        Upload { from: from.cast(), to, staged: Access::NONE }
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
        Self::CALL
    }

    #[inline]
    fn uses(&self) -> impl Deref<Target: Operands> {
        Owned((self.to, self.staged))
    }

    #[inline]
    fn host(&self) -> LentHost {
        LentHost::new(self.from, self.to.bytes())
    }

    #[inline]
    unsafe fn enqueue(&self, stream: CUstream) -> Answer {
        let (from, to, bytes) = (self.from, self.to.address, self.to.bytes());
        // SAFETY: both have as many elements, and those of the host are initialised (`Element: NoUninit`). The rest
        // is the caller's obligation 1.
        unsafe { answer!(cuMemcpyHtoDAsync_v2(to, from, bytes, stream)) }
    }
}

/// A copy of device memory to a slice.
pub(crate) struct Download<'a> {
    from: Access<'a>,
    to: *mut c_void,
    /// The access to the host memory, if a scope notes it.
    staged: Access<'a>,
}

impl<'a> Download<'a> {
    pub(crate) const CALL: &'static str = name!(cuMemcpyDtoHAsync_v2);

    /// Creates a copy between a slice and memory of equal length.
    #[inline]
    pub(crate) fn new<T: Element>(from: Access<'a>, to: *mut [T]) -> Self {
        Download { from, to: to.cast(), staged: Access::NONE }
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
        Self::CALL
    }

    #[inline]
    fn uses(&self) -> impl Deref<Target: Operands> {
        Owned((self.staged, self.from))
    }

    #[inline]
    fn host(&self) -> LentHost {
        LentHost::new(self.to, self.from.bytes())
    }

    #[inline]
    unsafe fn enqueue(&self, stream: CUstream) -> Answer {
        let (to, from, bytes) = (self.to, self.from.address, self.from.bytes());
        // SAFETY: both have as many elements, of which any bytes are values (`Element: AnyBitPattern`). The rest is
        // the caller's obligation 1.
        unsafe { answer!(cuMemcpyDtoHAsync_v2(to, from, bytes, stream)) }
    }
}
