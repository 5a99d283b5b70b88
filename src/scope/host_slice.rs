//! Host memory that a scope borrows and gives back.
#![allow(unsafe_code, reason = "the device writes behind the slice")]

use super::ScopedPinned;
use super::order::Order;
use crate::brand::{Brand, tied_to_one_thread};
use crate::error::Result;
use crate::memory::Element;
use crate::memory::access::Access;
use crate::memory::uses::Tracked;
use ffi::CUdeviceptr;
use static_assertions::assert_not_impl_any;
use std::fmt;
use std::ptr::NonNull;

/// Host memory that is lent to a scope, and that the host can use between transfers:
/// [`Scope::stage`](crate::Scope::stage).
///
/// If the host does not need a slice back before the scope ends, pass it directly to
/// [`upload`](crate::ScopedStream::upload) and [`download`](crate::ScopedStream::download). `'s` is invariant.
pub struct ScopedHostSlice<'s, T: Element> {
    order: &'s Order,
    /// Exclusively ours for `'s`. A pointer, because the device writes through it while this value moves.
    slice: NonNull<[T]>,
    tracked: Tracked,
    _s: Brand<'s>,
}
tied_to_one_thread! { ['s, T: Element] ScopedHostSlice<'s, T>, 's; }
assert_not_impl_any!(ScopedHostSlice<'static, f32>: Send, Sync);

impl<'s, T: Element> ScopedHostSlice<'s, T> {
    pub(super) fn new(order: &'s Order, host: &'s mut [T]) -> Self {
        order.lend_host();
        let slice = NonNull::from(host);
        // A kernel writes by an address alone, and does it through this pointer.
        let _ = slice.as_ptr().expose_provenance();
        ScopedHostSlice { order, slice, tracked: Tracked::default(), _s: Brand::new() }
    }

    /// Waits until no transfer uses the memory, and lends it to the host.
    ///
    /// Waits only for work on this memory; with a single stream, for everything enqueued so far.
    ///
    /// # Errors
    /// A sticky error ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuEventSynchronize")]
    #[doc(alias = "cuStreamSynchronize")]
    pub fn access(&mut self) -> Result<&mut [T]> {
        self.order.wait_for(&mut self.tracked)?;
        // SAFETY: made from a `&'s mut [T]`, so valid and ours alone; every transfer that was enqueued is
        // over, and none is while `self` is borrowed exclusively. What the device wrote is a value
        // (`Element: AnyBitPattern`).
        Ok(unsafe { self.slice.as_mut() })
    }

    /// Returns the number of elements.
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        self.slice.len()
    }

    /// Returns whether the slice is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[inline]
    pub(super) fn as_ptr(&self) -> *mut [T] {
        self.slice.as_ptr()
    }

    /// Returns the access of a transfer. The context does not matter for it.
    #[inline]
    pub(super) fn used(&self, writes: bool) -> Access<'_> {
        let address = self.slice.as_ptr().addr() as CUdeviceptr;
        Access::host::<T>(None, address, self.len(), writes).noted_in(&self.tracked)
    }

    /// Returns the recorded uses.
    #[inline]
    pub(super) fn tracked(&self) -> &Tracked {
        &self.tracked
    }
}

/// Host memory that a scope borrows and gives back: [`ScopedHostSlice`], or [`ScopedPinned`]. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not host memory that this scope borrows",
    label = "expected a `ScopedHostSlice<{T}>` or a `ScopedPinned<{T}>` of this scope",
    note = "create one with `s.stage(&mut slice)` or `s.map(&mut pinned)`; `upload` and `download` copy plain slices"
)]
pub trait ScopedHostMemory<'s, T: Element>: sealed::Stage<'s, T> {}
#[diagnostic::do_not_recommend]
impl<'s, T: Element> ScopedHostMemory<'s, T> for ScopedHostSlice<'s, T> {}
#[diagnostic::do_not_recommend]
impl<'s, T: Element> ScopedHostMemory<'s, T> for ScopedPinned<'s, T> {}

pub(crate) mod sealed {
    use super::*;

    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot implement `ScopedHostMemory`, which is sealed",
        label = "only `ScopedHostSlice` and `ScopedPinned` do"
    )]
    pub trait Stage<'s, T: Element> {
        fn stage(&self) -> &ScopedHostSlice<'s, T>;
    }
    #[diagnostic::do_not_recommend]
    impl<'s, T: Element> Stage<'s, T> for ScopedHostSlice<'s, T> {
        #[inline]
        fn stage(&self) -> &ScopedHostSlice<'s, T> {
            self
        }
    }
    #[diagnostic::do_not_recommend]
    impl<'s, T: Element> Stage<'s, T> for ScopedPinned<'s, T> {
        #[inline]
        fn stage(&self) -> &ScopedHostSlice<'s, T> {
            self.staged()
        }
    }
}

impl<T: Element> fmt::Debug for ScopedHostSlice<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ScopedHostSlice<{}>({})", std::any::type_name::<T>(), self.len())
    }
}
