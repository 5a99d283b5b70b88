//! Batches of copies on the device.
#![allow(unsafe_code, reason = "calls the driver")]

use super::enqueue::same_len;
use super::{Operation, zeros};
use crate::args::sealed::Operands;
use crate::call::{Answer, answer, name};
use crate::error::{Error, Result};
use crate::memory::access::Access;
use crate::memory::uses::FastPath;
use ffi::{CUdeviceptr, CUmemcpyAttributes, CUresult, CUstream};
use std::ffi::c_void;
use std::ops::Deref;

/// The function that enqueues a batch.
type Enqueue = unsafe extern "C" fn(
    *mut CUdeviceptr,
    *mut CUdeviceptr,
    *mut usize,
    usize,
    *mut CUmemcpyAttributes,
    *mut usize,
    usize,
    *mut usize,
    CUstream,
) -> CUresult;

/// Copies of device memory to other memory of the device, in no order among each other.
#[derive(Clone)]
pub(crate) struct CopyBatch<'a> {
    /// Each source behind its destination.
    uses: All<'a>,
    function: Enqueue,
}

/// The accesses of a batch.
#[derive(Clone)]
pub(crate) struct All<'a>(Vec<Access<'a>>);

impl<'a> CopyBatch<'a> {
    /// Creates a batch of sources and destinations. All of them are borrowed at the same time, and destinations
    /// exclusively, so no copy touches what another one writes.
    ///
    /// # Errors
    /// [`NeedsDriver`](Error::NeedsDriver).
    pub(crate) fn new(copies: impl Iterator<Item = (Access<'a>, Access<'a>)>) -> Result<Self> {
        let function = ffi::cuMemcpyBatchAsync()?;
        let uses = All(copies.flat_map(|(from, to)| [to, from]).collect());
        Ok(CopyBatch { uses, function })
    }
}

impl Operation for CopyBatch<'_> {
    fn call(&self) -> &'static str {
        name!(cuMemcpyBatchAsync)
    }

    fn check(&self, call: &'static str) -> Result {
        let reason = "a batch copies no rows: copy memory with rows by a `copy` of its own";
        self.uses.0.chunks_exact(2).try_for_each(|ends| {
            if ends.iter().any(|end| end.grid.is_some()) {
                return Err(Error::InvalidArgument { call, reason });
            }
            same_len(call, ends[1].len, ends[0].len)
        })
    }

    fn is_empty(&self) -> bool {
        self.uses.0.iter().all(|end| end.len == 0)
    }

    fn uses(&self) -> impl Deref<Target: Operands> {
        &self.uses
    }

    /// The driver may have enqueued the first copies when it refuses another one.
    fn is_one_call(&self) -> bool {
        false
    }

    unsafe fn enqueue(&self, stream: CUstream) -> Answer {
        // The driver refuses copies of 0 bytes (F426).
        let copies = self.uses.0.chunks_exact(2).filter(|ends| ends[0].bytes() > 0);
        let (mut to, mut from, mut sizes) = (Vec::new(), Vec::new(), Vec::new());
        for ends in copies {
            to.push(ends[0].address);
            from.push(ends[1].address);
            sizes.push(ends[0].bytes());
        }
        let mut attributes: CUmemcpyAttributes = zeros();
        attributes.srcAccessOrder = ffi::CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
        let (count, mut first, mut failed, copy) = (to.len(), 0, 0, self.function);
        let (to, from, sizes) = (to.as_mut_ptr(), from.as_mut_ptr(), sizes.as_mut_ptr());
        let (attributes, first, failed) = (&raw mut attributes, &raw mut first, &raw mut failed);
        // SAFETY: the first three lists have `count` entries, which is not 0: the operation is not empty. The lists of
        // attributes have one, which is for all copies from the first on. Both ends of a copy have as many bytes
        // (obligation 1), and no copy touches what another one writes. Sources are read in the order of the stream. The
        // rest is the caller's obligation 2.
        unsafe {
            answer!(
                cuMemcpyBatchAsync =
                    copy(to, from, sizes, count, attributes, first, 1, failed, stream)
            )
        }
    }
}

impl Operands for All<'_> {
    fn all_of(&self, key: usize) -> bool {
        self.0.iter().all(|one| one.is_of(key))
    }

    fn any_host(&self) -> bool {
        self.0.iter().any(Access::is_host)
    }

    fn all_ready(&self, fast_path: &FastPath) -> bool {
        fast_path.is_open() && self.0.iter().all(|one| one.is_ready(fast_path))
    }

    fn with_accesses<R>(&self, f: impl FnOnce(&[Access<'_>]) -> R) -> R {
        f(&self.0)
    }

    fn with_pointers<R>(&self, f: impl FnOnce(&mut [*mut c_void]) -> R) -> R {
        // No kernel takes them.
        f(&mut [])
    }
}
