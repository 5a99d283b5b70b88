//! Device buffers that a scope holds.

use super::scratch::Part;
use crate::brand::{Brand, tied_to_one_thread};
use crate::context::Context;
use crate::memory::access::Access;
use crate::memory::uses::Tracked;
use crate::memory::view::View;
use crate::memory::{Allocation, Element};
use ffi::CUdeviceptr;
use static_assertions::assert_not_impl_any;
use std::fmt;
use std::marker::PhantomData;

/// A device buffer that a scope holds, for reading and writing on any of its streams.
///
/// [`Scope::hold`](crate::Scope::hold) and [`ScopedStream::scratch`](crate::ScopedStream::scratch) return one. It
/// records its last uses, so that a use on another stream runs after them. Pass `&held` to operations that read it
/// and `&mut held` to operations that write it. It belongs to its scope alone: `'s` is invariant.
///
/// # Examples
/// ```
/// use cuscope::{Context, ContextFlags, ContextStack, Device, ScopedBuffer, ScopedStream, Result};
///
/// /// Sets `x` to `value` and copies it to `y`.
/// fn set<'s>(stream: ScopedStream<'s, '_>, x: &mut ScopedBuffer<'s, u32>, y: &mut ScopedBuffer<'s, u32>, value: u32) -> Result {
///     stream.fill(x, value)?;
///     stream.copy(&*x, y)
/// }
///
/// # fn main() -> Result {
/// let context = Context::create(Device::get(0)?, ContextFlags::default())?;
/// let mut stack = ContextStack::current_thread()?;
/// let gpu = stack.push(&context)?;
/// let (stream, mut y) = (gpu.stream()?, gpu.alloc(4)?);
/// gpu.scope(|s| {
///     let (stream, mut y) = (s.on(&stream), s.hold(&mut y));
///     set(stream, &mut stream.scratch(4)?, &mut y, 7)
/// })?;
/// assert_eq!(gpu.on(&stream).to_vec(&y)?, [7; 4]);
/// # Ok(()) }
/// ```
pub struct ScopedBuffer<'s, T: Element> {
    view: View<'s>,
    tracked: Tracked,
    /// The part that frees the memory, if the scope allocated it.
    scratch: Option<Part<'s>>,
    _s: Brand<'s>,
    _data: PhantomData<T>,
}
tied_to_one_thread! { ['s, T: Element] ScopedBuffer<'s, T>, 's; }
assert_not_impl_any!(ScopedBuffer<'static, f32>: Send, Sync);

impl<'s, T: Element> ScopedBuffer<'s, T> {
    /// Holds memory that nothing else uses during `'s`.
    pub(crate) fn new(memory: &'s Allocation, len: usize) -> Self {
        ScopedBuffer::of_view(View { memory, address: memory.address(), len, whole: true })
    }

    /// Holds a view that nothing else uses during `'s`.
    pub(crate) fn of_view(view: View<'s>) -> Self {
        ScopedBuffer::used_before(view, Tracked::default(), None)
    }

    /// Holds memory that the scope allocated.
    pub(super) fn scratch(view: View<'s>, tracked: Tracked, scratch: Part<'s>) -> Self {
        ScopedBuffer::used_before(view, tracked, Some(scratch))
    }

    #[inline]
    fn used_before(view: View<'s>, tracked: Tracked, scratch: Option<Part<'s>>) -> Self {
        ScopedBuffer { view, tracked, scratch, _s: Brand::new(), _data: PhantomData }
    }

    #[inline]
    pub(super) fn view(&self) -> View<'s> {
        self.view
    }

    /// Returns a part that replaces `self` for its elements, as if it had been used as the whole was. Parts of
    /// one buffer are disjoint, and `self` is [`replaced`](Self::replaced) once there are all parts.
    pub(super) fn with_uses_of(&self, part: (usize, usize)) -> Self {
        let view = self.view.part::<T>(part);
        ScopedBuffer::used_before(view, self.tracked.clone(), self.scratch.map(Part::another))
    }

    /// Ends a buffer whose parts have its uses.
    pub(super) fn replaced(mut self) {
        self.tracked = Tracked::default();
    }

    /// Returns the access of an operation.
    #[inline]
    pub(crate) fn used(&self, writes: bool) -> Access<'_> {
        self.used_part(self.view, writes)
    }

    /// Returns the access to a part. It counts as one to the whole.
    #[inline]
    pub(super) fn used_part(&self, part: View<'s>, writes: bool) -> Access<'_> {
        Access::device::<T>(part, writes).noted_in(&self.tracked)
    }

    /// Returns the recorded uses.
    pub(crate) fn tracked(&self) -> &Tracked {
        &self.tracked
    }
}

impl<T: Element> ScopedBuffer<'_, T> {
    /// Returns the number of elements.
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        self.view.len
    }

    /// Returns whether there are no elements.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the size in bytes.
    #[must_use]
    #[inline]
    pub fn size_bytes(&self) -> usize {
        self.len() * size_of::<T>()
    }

    /// Returns the context.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.view.context()
    }

    /// Returns the address on the device, for calls of [`ffi`]. It is valid while the scope runs, or until
    /// [scratch](crate::ScopedStream::scratch) memory is dropped. Do not free it.
    #[must_use]
    #[inline]
    pub fn address(&self) -> CUdeviceptr {
        self.view.address
    }
}

impl<T: Element> Drop for ScopedBuffer<'_, T> {
    #[inline]
    fn drop(&mut self) {
        if let Some(scratch) = self.scratch {
            scratch.end(&mut self.tracked);
        }
    }
}

impl<T: Element> fmt::Debug for ScopedBuffer<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let element = std::any::type_name::<T>();
        write!(
            f,
            "ScopedBuffer<{element}>({} at {:#x}, {:?})",
            self.len(),
            self.address(),
            self.context()
        )
    }
}
