//! Buffers in device memory.
#![allow(unsafe_code, reason = "calls the driver")]

use crate::brand::Brand;
use crate::capture_mode::relaxed;
use crate::error::{Error, check, release};
use crate::{Context, Element, PushedGuard, Result};
use ffi::CUdeviceptr;
use static_assertions::assert_impl_all;
use std::fmt;
use std::marker::PhantomData;

/// A buffer of `len` elements in device memory, of one context.
///
/// Nothing is in flight on it outside an operation that borrows it (invariant `idle-outside`, as far
/// as no [unsafe unscoped](crate::OnStream::launch_unscoped) one is used), so dropping it frees at
/// once; the driver waits for all work of the context then (F50), and needs no current context (F40).
pub struct DeviceBuffer<'ctx, T: Element> {
    pub(crate) inner: Allocation,
    pub(crate) len: usize,
    pub(crate) _brand: Brand<'ctx>,
    pub(crate) data: PhantomData<T>,
}
assert_impl_all!(DeviceBuffer<'static, f32>: Send, Sync);

pub(crate) struct Allocation {
    address: CUdeviceptr,
    context: Context,
}

impl Drop for Allocation {
    fn drop(&mut self) {
        // SAFETY: this is the only owner of the allocation, which was made and not freed; its context
        // is alive, and need not be current (F40). Work that uses the memory is waited for (F50), and
        // captures do not refuse it (F101).
        release("cuMemFree_v2", || relaxed(|| unsafe { ffi::cuMemFree_v2(self.address) }));
    }
}

impl<'ctx> PushedGuard<'ctx> {
    /// Allocates a buffer of `len` elements. Its contents are unspecified bytes.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a buffer of 0 bytes or of more than an address space holds;
    /// `CUDA_ERROR_OUT_OF_MEMORY` (F62); [`NotCurrent`](Error::NotCurrent).
    #[doc(alias = "cuMemAlloc")]
    pub fn alloc<T: Element>(&self, len: usize) -> Result<DeviceBuffer<'ctx, T>> {
        const CALL: &str = "cuMemAlloc_v2";
        let refused = |reason| Error::InvalidArgument { call: CALL, reason };
        let bytes = len.checked_mul(size_of::<T>()).ok_or_else(|| {
            refused("the buffer has more bytes than an address space: ask for less")
        })?;
        if bytes == 0 {
            return Err(refused("the driver allocates no 0 bytes: keep an empty buffer as `None`"));
        }
        self.enter(CALL)?;
        let mut address = 0;
        // SAFETY: writes one address to `address`, which is valid for it; acts on the current context,
        // which `enter` found to be the guard's.
        check(CALL, unsafe { ffi::cuMemAlloc_v2(&raw mut address, bytes) })?;
        let inner = Allocation { address, context: self.context().clone() };
        Ok(DeviceBuffer { inner, len, _brand: Brand::new(), data: PhantomData })
    }
}

impl<T: Element> DeviceBuffer<'_, T> {
    /// Number of elements; never 0.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "a buffer is never empty")]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Size in bytes.
    #[must_use]
    pub fn size_bytes(&self) -> usize {
        self.len * size_of::<T>()
    }

    /// The context.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.inner.context
    }

    /// The address on the device, for calls of [`ffi`]. It is valid while this value lives; do not
    /// free it.
    #[must_use]
    pub fn address(&self) -> CUdeviceptr {
        self.inner.address
    }
}

impl<T: Element> fmt::Debug for DeviceBuffer<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let element = std::any::type_name::<T>();
        write!(
            f,
            "DeviceBuffer<{element}>({} at {:#x}, {:?})",
            self.len,
            self.address(),
            self.context()
        )
    }
}
