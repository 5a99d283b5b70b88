//! Device buffers that a scope holds.

use super::tracked::{Gate, Operand, Tracked, Use};
use crate::brand::Brand;
use crate::memory::Allocation;
use crate::memory::view::View;
use crate::{Context, Element, Error, Result};
use ffi::CUdeviceptr;
use static_assertions::assert_not_impl_any;
use std::fmt;
use std::marker::PhantomData;

/// In the place of the address of a whole: no memory has it.
pub(crate) const PART: CUdeviceptr = CUdeviceptr::MAX;

/// A device buffer that is lent to a scope, to be read and written on any of its queues:
/// [`Scope::hold`](crate::Scope::hold), [`Scope::scratch`](crate::Scope::scratch).
///
/// It knows its last uses, so that one on another queue is ordered behind them. It belongs to its
/// scope alone: `'s` is invariant.
pub struct Held<'s, T: Element> {
    memory: &'s Allocation,
    address: CUdeviceptr,
    /// The address of the memory if it is all of that, else [`PART`].
    whole: CUdeviceptr,
    len: usize,
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
        let View { memory, address, len, whole } = view;
        let whole = if whole { memory.address() } else { PART };
        Held { memory, address, whole, len, tracked, _s: Brand::new(), _data: PhantomData }
    }

    /// What a graph that names the memory has a share in.
    #[inline]
    pub(crate) fn memory(&self) -> &'s Allocation {
        self.memory
    }

    /// The address of the memory if it is all of that, else [`PART`].
    #[inline]
    pub(crate) fn whole(&self) -> CUdeviceptr {
        self.whole
    }

    /// Of a part of the memory, as if it had been used as the whole was.
    pub(super) fn with_uses_of(&self, address: CUdeviceptr, len: usize) -> Self {
        let part = View { memory: self.memory, address, len, whole: false };
        Held::used_before(part, self.tracked.clone())
    }

    /// Whether it takes so many elements.
    #[inline]
    pub(super) fn takes(&self, call: &'static str, from: usize) -> Result {
        if from == self.len { Ok(()) } else { Err(self.takes_others(from, call)) }
    }

    #[cold]
    #[inline(never)]
    fn takes_others(&self, from: usize, call: &'static str) -> Error {
        Error::LengthMismatch { call, from, to: self.len }
    }

    /// Whether nothing is to be ordered or noted for a use, nor compared.
    #[inline]
    pub(super) fn is_noted(&self, writes: bool, gate: &Gate) -> bool {
        self.tracked.is_noted(writes, gate)
    }

    /// The use by an operation, and the context.
    #[inline]
    pub(crate) fn operand(&self, writes: bool) -> Operand<'_> {
        Operand::memory(self.memory, self.used(writes))
    }

    /// A use by an operation.
    #[inline]
    pub(crate) fn used(&self, writes: bool) -> Option<Use<'_>> {
        Some(Use { tracked: &self.tracked, writes })
    }
}

impl<T: Element> Held<'_, T> {
    /// Number of elements; never 0.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "a buffer is never empty")]
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Size in bytes.
    #[must_use]
    #[inline]
    pub fn size_bytes(&self) -> usize {
        self.len * size_of::<T>()
    }

    /// The context.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.memory.context()
    }

    /// The address on the device, for calls of [`ffi`]. It is valid while the scope runs; do not free
    /// it.
    #[must_use]
    #[inline]
    pub fn address(&self) -> CUdeviceptr {
        self.address
    }
}

impl<T: Element> fmt::Debug for Held<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let element = std::any::type_name::<T>();
        write!(f, "Held<{element}>({} at {:#x}, {:?})", self.len, self.address(), self.context())
    }
}
