//! Arrays that a scope holds.

use crate::brand::{Brand, tied_to_one_thread};
use crate::context::Context;
use crate::memory::Extent;
use crate::memory::access::Access;
use crate::memory::pitched::PitchedView;
use crate::memory::texel::Texel;
use crate::memory::uses::Tracked;
use static_assertions::assert_not_impl_any;
use std::fmt;
use std::marker::PhantomData;

/// An [`Array`](crate::texture::Array), a level of a [`MipmappedArray`](crate::texture::MipmappedArray), or a part of one,
/// that a scope holds, for copies from and to it on any of its streams.
///
/// [`Scope::hold`](crate::Scope::hold) returns one. Pass `&held` to copies that read it, and `&mut held` to those that write
/// it. It belongs to its scope alone: `'s` is invariant.
pub struct ScopedArray<'s, T: Texel> {
    view: PitchedView<'s>,
    tracked: Tracked,
    _s: Brand<'s>,
    _data: PhantomData<T>,
}
tied_to_one_thread! { ['s, T: Texel] ScopedArray<'s, T>, 's; }
assert_not_impl_any!(ScopedArray<'static, f32>: Send, Sync);

impl<'s, T: Texel> ScopedArray<'s, T> {
    /// Holds a view that nothing else uses during `'s`.
    pub(crate) fn of_view(view: PitchedView<'s>) -> Self {
        ScopedArray { view, tracked: Tracked::default(), _s: Brand::new(), _data: PhantomData }
    }

    /// Returns the access of an operation.
    #[inline]
    pub(crate) fn used(&self, writes: bool) -> Access<'_> {
        self.view.used::<T>(writes).noted_in(&self.tracked)
    }

    /// Returns the size in elements, rows and planes. Layers and faces are planes.
    #[must_use]
    pub fn extent(&self) -> Extent {
        self.view.grid().extent
    }

    /// Returns the number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.extent().len()
    }

    /// Returns whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the context.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.view.context()
    }
}

impl<T: Texel> fmt::Debug for ScopedArray<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let element = std::any::type_name::<T>();
        write!(f, "ScopedArray<{element}>({}, {:?})", self.extent(), self.context())
    }
}
