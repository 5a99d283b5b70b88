//! Page-locked memory of the driver, which nobody has initialised.
#![allow(unsafe_code, reason = "calls the driver, and owns its memory")]

use super::pinned::Block;
use super::{Element, PinnedBuffer};
use crate::call::{answer, later, name};
use crate::context::Context;
use crate::driver::capture_mode::release_relaxed;
use crate::error::{Error, RangeUnit, Result};
use crate::registry::{host_saw, host_sees};
use crate::stack::PushedGuard;
use ffi::{CU_MEMHOSTALLOC_DEVICEMAP, CU_MEMHOSTALLOC_PORTABLE, CUdeviceptr};
use static_assertions::assert_impl_all;
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr::{self, NonNull};
use std::sync::Arc;
use std::{fmt, slice};

/// Page-locked host memory for a pool, as bytes that are not initialised.
///
/// [`PushedGuard::pinned_pages`] allocates it with one driver call, where a [`PinnedBuffer`] is zeroed and registered.
/// [`split_at`](Self::split_at) hands parts out, each of which owns a share. Every context can use it, at the same address
/// on the host and on the devices ([F163](crate::driver_facts#F163)).
///
/// A part shows its [address](Self::as_non_null) for copies that return at once, lends its bytes
/// [uninitialised](Self::as_uninit_mut), and becomes a [`PinnedBuffer`] when it is [zeroed](Self::into_zeroed).
///
/// The memory belongs to its context ([F102](crate::driver_facts#F102)), which the parts keep alive. The drop of the last
/// one frees it, and waits for all work of that context ([F50](crate::driver_facts#F50)).
///
/// # Examples
/// ```
/// # use cuscope::{Context, ContextStack, Device, Result};
/// # fn main() -> Result {
/// # let context = Context::primary(Device::get(0)?)?;
/// # let mut stack = ContextStack::current_thread()?;
/// # let gpu = stack.push(&context)?;
/// # let stream = gpu.stream()?;
/// let x = gpu.on(&stream).from_slice(&[1_u8, 2, 3, 4])?;
/// let (part, rest) = gpu.pinned_pages(1 << 20)?.split_at(4)?;
/// let to = std::ptr::slice_from_raw_parts_mut(part.as_non_null().as_ptr(), 4);
/// // SAFETY: 1. and 2. Nothing else uses the part until the stream has been synchronized.
/// unsafe { gpu.on(&stream).download_unscoped(&x, to) }?;
/// stream.synchronize()?;
/// // SAFETY: the copy is complete.
/// assert_eq!(unsafe { &*to }, [1, 2, 3, 4]);
/// # drop(rest);
/// # Ok(()) }
/// ```
#[must_use = "the pages are freed when this is dropped"]
pub struct PinnedPages {
    start: NonNull<u8>,
    len: usize,
    pages: Arc<Pages>,
}
assert_impl_all!(PinnedPages: Send, Sync);
// SAFETY: the bytes belong to this part alone, as those of a `Box<[MaybeUninit<u8>]>` would.
unsafe impl Send for PinnedPages {}
// SAFETY: through a reference, nothing but the address and the context can be had.
unsafe impl Sync for PinnedPages {}

/// The state that the parts share.
struct Pages {
    /// The address of all of it, or 0 if there is none.
    start: usize,
    context: Context,
}

impl Block for Pages {
    fn context(&self) -> &Context {
        &self.context
    }
}

impl Drop for Pages {
    #[inline]
    fn drop(&mut self) {
        if self.start == 0 {
            return;
        }
        host_saw(self.start as CUdeviceptr);
        let start: *mut c_void = ptr::with_exposed_provenance_mut(self.start);
        // SAFETY: from `cuMemHostAlloc`, and freed once: this is the end of its last owner. No context need be current
        // (F40), and captures do not refuse it (F141).
        release_relaxed(unsafe { later!(cuMemFreeHost(start)) }, || Pages {
            start: self.start,
            context: self.context.clone(),
        });
    }
}

/// # Page-locked memory of the driver
impl PushedGuard<'_> {
    /// Allocates page-locked memory that is not initialised, with one driver call. See [`PinnedPages`].
    ///
    /// # Errors
    /// `CUDA_ERROR_OUT_OF_MEMORY`; [`NotCurrent`](Error::NotCurrent); a driver error.
    #[doc(alias = "cuMemHostAlloc")]
    #[doc(alias = "cuMemAllocHost")]
    #[inline]
    pub fn pinned_pages(&self, bytes: usize) -> Result<PinnedPages> {
        self.enter(name!(cuMemHostAlloc))?;
        let context = self.context().clone();
        if bytes == 0 {
            // The driver has none of 0 bytes (F163).
            let pages = Arc::new(Pages { start: 0, context });
            return Ok(PinnedPages { start: NonNull::dangling(), len: 0, pages });
        }
        let mut raw = ptr::null_mut();
        let flags = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP;
        // SAFETY: writes one address to `raw`, which is valid for it; acts on the current context, which `enter` found to be
        // the guard's.
        unsafe { answer!(cuMemHostAlloc(&raw mut raw, bytes, flags)) }.check()?;
        let Some(start) = NonNull::new(raw.cast::<u8>()) else {
            return Err(Error::no_host_memory(name!(cuMemHostAlloc)));
        };
        host_sees(start.as_ptr().expose_provenance(), bytes);
        let pages = Arc::new(Pages { start: start.addr().get(), context });
        Ok(PinnedPages { start, len: bytes, pages })
    }
}

impl PinnedPages {
    /// Returns the number of bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no bytes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the context that it was allocated in. The pages keep it alive. Every context can use them.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.pages.context
    }

    /// Returns the address on the host, which is that on the devices too. There is no reference to the memory.
    #[must_use]
    pub fn as_non_null(&self) -> NonNull<u8> {
        self.start
    }

    /// Returns the bytes, some of which may be uninitialised.
    #[must_use]
    #[inline]
    pub fn as_uninit_mut(&mut self) -> &mut [MaybeUninit<u8>] {
        // SAFETY: `len` bytes of one allocation, which belong to this part alone and are borrowed with it. They may be
        // uninitialised. For 0 bytes any address will do.
        unsafe { slice::from_raw_parts_mut(self.start.as_ptr().cast(), self.len) }
    }

    /// Splits the pages in two: the bytes before `at`, and the others. Each part owns a share. Makes no driver call.
    ///
    /// # Errors
    /// [`InvalidRange`](Error::InvalidRange) if `at` is past the end. The pages are dropped then.
    #[inline]
    pub fn split_at(self, at: usize) -> Result<(PinnedPages, PinnedPages)> {
        let PinnedPages { start, len, pages } = self;
        let Some(rest) = len.checked_sub(at) else {
            return Err(Error::InvalidRange {
                call: "PinnedPages::split_at",
                end: at,
                len,
                unit: RangeUnit::Elements,
            });
        };
        // SAFETY: within the memory, or at its end: `at` is at most its length.
        let second = unsafe { start.add(at) };
        let first = PinnedPages { start, len: at, pages: pages.clone() };
        Ok((first, PinnedPages { start: second, len: rest, pages }))
    }

    /// Fills the bytes with zeros and makes them a buffer of as many whole elements as they have. Makes no driver call.
    ///
    /// # Errors
    /// [`InvalidArgument`](Error::InvalidArgument) if the first byte is not aligned for `T`, or `T` has no bytes. The pages
    /// are dropped then.
    pub fn into_zeroed<T: Element>(mut self) -> Result<PinnedBuffer<T>> {
        let start = self.start.cast::<T>();
        let Some(len) = self.len.checked_div(size_of::<T>()).filter(|_| start.is_aligned()) else {
            let (call, reason) = (
                "PinnedPages::into_zeroed",
                "the part does not begin at an aligned address: split it at a multiple of the size of an element, of which \
                 each has at least one byte",
            );
            return Err(Error::InvalidArgument { call, reason: reason.into() });
        };
        self.as_uninit_mut().fill(MaybeUninit::new(0));
        // SAFETY: 1. The bytes belong to this part, which ends here, are zeros, and the address is aligned.
        Ok(unsafe { PinnedBuffer::of_block(self.pages, start, len) })
    }
}

impl fmt::Debug for PinnedPages {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PinnedPages({} bytes at {:p}, {:?})", self.len, self.start, self.context())
    }
}
