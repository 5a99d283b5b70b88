//! Device buffers that a scope holds.

use crate::brand::Brand;
use crate::context::Context;
use crate::memory::access::Access;
use crate::memory::uses::Tracked;
use crate::memory::view::View;
use crate::memory::{Allocation, Element};
use ffi::CUdeviceptr;
use static_assertions::assert_not_impl_any;
use std::fmt;
use std::marker::PhantomData;

/// A device buffer that is lent to a scope, to be read and written on any of its queues:
/// [`Scope::hold`](crate::Scope::hold), [`Scope::scratch`](crate::Scope::scratch).
///
/// It knows its last uses, so that one on another queue is ordered behind them. It belongs to its
/// scope alone: `'s` is invariant.
pub struct Held<'s, T: Element> {
    view: View<'s>,
    tracked: Tracked,
    _s: Brand<'s>,
    _data: PhantomData<T>,
}
assert_not_impl_any!(Held<'static, f32>: Send, Sync);

impl<'s, T: Element> Held<'s, T> {
    /// Of memory that nothing else uses during `'s`.
    pub(crate) fn new(memory: &'s Allocation, len: usize) -> Self {
        Held::of_view(View { memory, address: memory.address(), len, whole: true })
    }

    /// Of a view that nothing else uses during `'s`.
    pub(crate) fn of_view(view: View<'s>) -> Self {
        Held::used_before(view, Tracked::default())
    }

    fn used_before(view: View<'s>, tracked: Tracked) -> Self {
        Held { view, tracked, _s: Brand::new(), _data: PhantomData }
    }

    #[inline]
    pub(super) fn view(&self) -> View<'s> {
        self.view
    }

    /// A part that stands for its elements in the place of `self`, as if it had been used as the whole was: parts of
    /// one buffer are disjoint, and `self` is not used again.
    pub(super) fn with_uses_of(&self, part: (usize, usize)) -> Self {
        Held::used_before(self.view.part::<T>(part), self.tracked.clone())
    }

    /// A use by an operation.
    #[inline]
    pub(crate) fn used(&self, writes: bool) -> Access<'_> {
        self.used_part(self.view, writes)
    }

    /// A use of a part of it: it counts as one of the whole.
    #[inline]
    pub(super) fn used_part(&self, part: View<'s>, writes: bool) -> Access<'_> {
        Access::device::<T>(part, writes).noted_in(&self.tracked)
    }

    /// The uses that are noted.
    pub(crate) fn tracked(&self) -> &Tracked {
        &self.tracked
    }
}

impl<T: Element> Held<'_, T> {
    /// Number of elements; never 0.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "a buffer is never empty")]
    #[inline]
    pub fn len(&self) -> usize {
        self.view.len
    }

    /// Size in bytes.
    #[must_use]
    #[inline]
    pub fn size_bytes(&self) -> usize {
        self.len() * size_of::<T>()
    }

    /// The context.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.view.context()
    }

    /// The address on the device, for calls of [`ffi`]. It is valid while the scope runs; do not free
    /// it.
    #[must_use]
    #[inline]
    pub fn address(&self) -> CUdeviceptr {
        self.view.address
    }
}

impl<T: Element> fmt::Debug for Held<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let element = std::any::type_name::<T>();
        write!(f, "Held<{element}>({} at {:#x}, {:?})", self.len(), self.address(), self.context())
    }
}
