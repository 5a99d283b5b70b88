//! Moves of managed memory, and the end of its contents.
#![allow(unsafe_code, reason = "calls the driver")]

use super::{Operation, Owned};
use crate::args::sealed::Operands;
use crate::call::{Answer, answer, name};
use crate::error::Result;
use crate::memory::access::Access;
use crate::memory::{Attachment, Location, refusals};
use ffi::{CUdeviceptr, CUmemLocation, CUresult, CUstream};
use std::ffi::c_uint;
use std::ops::Deref;

/// The function that moves memory.
type Move = unsafe extern "C" fn(CUdeviceptr, usize, CUmemLocation, c_uint, CUstream) -> CUresult;

/// A move of managed memory to a place. It reads the memory.
#[derive(Clone, Copy)]
pub(crate) struct Prefetch<'a> {
    memory: Access<'a>,
    to: Location,
    function: Move,
}

impl<'a> Prefetch<'a> {
    /// Creates a move.
    ///
    /// # Errors
    /// [`NeedsDriver`](crate::Error::NeedsDriver).
    #[inline]
    pub(crate) fn new(memory: Access<'a>, to: Location) -> Result<Self> {
        Ok(Prefetch { memory, to, function: ffi::cuMemPrefetchAsync_v2()? })
    }
}

impl Operation for Prefetch<'_> {
    #[inline]
    fn call(&self) -> &'static str {
        name!(cuMemPrefetchAsync_v2)
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.memory.range().is_empty()
    }

    #[inline]
    fn uses(&self) -> impl Deref<Target: Operands> {
        Owned((self.memory,))
    }

    #[inline]
    unsafe fn enqueue(&self, stream: CUstream) -> Answer {
        let (range, to, move_to) = (self.memory.range(), self.to.raw(), self.function);
        let bytes = (range.end - range.start) as usize;
        // SAFETY: the caller's obligation 2. The contents do not change. The driver checks the memory and the place.
        unsafe { answer!(cuMemPrefetchAsync_v2 = move_to(range.start, bytes, to, 0, stream)) }
    }

    #[cold]
    fn refused(&self, answer: Answer, _key: usize) -> Result {
        answer.explain(|code| refusals::managed(self.memory.address, Some(self.to), code))
    }
}

/// The function that discards memory.
type End = unsafe extern "C" fn(*mut CUdeviceptr, *mut usize, usize, u64, CUstream) -> CUresult;

/// The end of the contents of managed memory. It writes the memory.
pub(crate) struct Discard<'a> {
    memory: Access<'a>,
    function: End,
}

impl<'a> Discard<'a> {
    /// Creates the operation.
    ///
    /// # Errors
    /// [`NeedsDriver`](crate::Error::NeedsDriver).
    #[inline]
    pub(crate) fn new(memory: Access<'a>) -> Result<Self> {
        Ok(Discard { memory, function: ffi::cuMemDiscardBatchAsync()? })
    }
}

impl Operation for Discard<'_> {
    #[inline]
    fn call(&self) -> &'static str {
        name!(cuMemDiscardBatchAsync)
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.memory.bytes() == 0
    }

    #[inline]
    fn uses(&self) -> impl Deref<Target: Operands> {
        Owned((self.memory,))
    }

    #[inline]
    unsafe fn enqueue(&self, stream: CUstream) -> Answer {
        let (mut address, mut bytes) = (self.memory.address, self.memory.bytes());
        let (address, bytes, discard) = (&raw mut address, &raw mut bytes, self.function);
        // SAFETY: both lists have one entry; the caller's obligation 2. Any bytes are values of the elements
        // (`Element: AnyBitPattern`). The driver checks the memory.
        unsafe { answer!(cuMemDiscardBatchAsync = discard(address, bytes, 1, 0, stream)) }
    }

    #[cold]
    fn refused(&self, answer: Answer, _key: usize) -> Result {
        answer.explain(|code| refusals::managed(self.memory.address, None, code))
    }
}

/// A change of the streams that may use managed memory, all of one allocation. It writes the memory: nothing else uses it
/// meanwhile.
pub(crate) struct Attach<'a> {
    memory: Access<'a>,
    to: Attachment,
}

impl<'a> Attach<'a> {
    /// Creates the operation.
    #[inline]
    pub(crate) fn new(memory: Access<'a>, to: Attachment) -> Self {
        Attach { memory, to }
    }
}

impl Operation for Attach<'_> {
    #[inline]
    fn call(&self) -> &'static str {
        name!(cuStreamAttachMemAsync)
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.memory.bytes() == 0
    }

    #[inline]
    fn uses(&self) -> impl Deref<Target: Operands> {
        Owned((self.memory,))
    }

    #[inline]
    unsafe fn enqueue(&self, stream: CUstream) -> Answer {
        let (address, flags) = (self.memory.address, self.to.raw());
        // SAFETY: the caller's obligation 2. Length 0 stands for all of the memory (F159), and the driver checks that it
        // is managed. The stream is no default stream, which the driver refuses.
        unsafe { answer!(cuStreamAttachMemAsync(stream, address, 0, flags)) }
    }

    #[cold]
    fn refused(&self, answer: Answer, _key: usize) -> Result {
        answer.explain(|code| refusals::managed(self.memory.address, None, code))
    }
}
