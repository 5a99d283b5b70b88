//! Page-locked host memory that a scope lends to kernels, and back.

use super::order::Order;
use super::staged::Staged;
use super::tracked::Use;
use crate::{Context, Element, PinnedBuffer, Result};
use ffi::CUdeviceptr;
use std::fmt;

/// Page-locked memory of the host that is lent to a scope, to its copies and, over the bus, to its kernels:
/// [`Scope::map`](crate::Scope::map). The host gets it back in between, by [`access`](Self::access).
///
/// It knows its last uses, as [`Held`](crate::Held) does. `'s` is invariant.
pub struct Mapped<'s, T: Element> {
    staged: Staged<'s, T>,
    address: CUdeviceptr,
    only: Option<&'s Context>,
}

impl<'s, T: Element> Mapped<'s, T> {
    pub(super) fn new(order: &'s Order, pinned: &'s mut PinnedBuffer<T>) -> Self {
        let address = pinned.mapped();
        let (only, host) = pinned.lend();
        Mapped { staged: Staged::new(order, host), address, only }
    }

    /// Waits until no operation uses the memory, and lends it to the host:
    /// [`Staged::access`](crate::Staged::access).
    ///
    /// # Errors
    /// A sticky error (F60).
    #[doc(alias = "cuEventSynchronize")]
    #[doc(alias = "cuStreamSynchronize")]
    pub fn access(&mut self) -> Result<&mut [T]> {
        self.staged.access()
    }

    /// Number of elements; never 0.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "a pinned buffer is never empty")]
    pub fn len(&self) -> usize {
        self.staged.len()
    }

    #[inline]
    pub(super) fn staged(&self) -> &Staged<'s, T> {
        &self.staged
    }

    #[inline]
    pub(super) fn address(&self) -> CUdeviceptr {
        self.address
    }

    /// The one context in which the address is good, if it is not every one.
    pub(super) fn mapped_in(&self) -> Option<&Context> {
        self.only
    }

    /// A use by an operation.
    #[inline]
    pub(super) fn used(&self, writes: bool) -> Option<Use<'_>> {
        self.staged.used(writes)
    }
}

impl<T: Element> fmt::Debug for Mapped<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let element = std::any::type_name::<T>();
        write!(f, "Mapped<{element}>({} at {:#x})", self.len(), self.address)
    }
}
