//! Memory that a scope can hold, and memory that its operations write.

use super::{
    ScopedArray, ScopedBuffer, ScopedPitchedBuffer, ScopedPitchedSliceMut, ScopedSliceMut,
};
use crate::memory::access::Access;
use crate::memory::array::{Array, ArraySliceMut};
use crate::memory::texel::Texel;
use crate::memory::{
    DeviceBuffer, DeviceMemoryMut, DeviceSliceMut, Element, GrowableBuffer, PitchedBuffer,
    PitchedSliceMut,
};

/// Device memory that [`Scope::hold`](crate::Scope::hold) takes: a buffer, or a part of one that can be written.
/// Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not device memory that a scope can hold",
    label = "expected a `DeviceBuffer<{T}>`, a `PitchedBuffer<{T}>`, or a part of one that can be written",
    note = "memory of an ordered stream is used there: `adopt` takes a `DeviceBuffer` over, `into_idle` gives it back, `hold_ordered` lends it to a scope"
)]
pub trait Holdable<'ctx, T: Element>: DeviceMemoryMut<'ctx, T> {
    /// The memory as operations of the scope take it.
    type Held<'s>: Destination<'s, T>
    where
        Self: 's;

    #[doc(hidden)]
    fn hold<'s>(&'s mut self, key: Key) -> Self::Held<'s>;
}

/// The key that lets memory be held. Only this crate can create one.
#[doc(hidden)]
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations, reason = "holds nothing")]
pub struct Key(pub(crate) ());

/// Device memory that a scope holds, as operations write it. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not device memory that this scope holds, with elements of type `{T}`",
    label = "expected a `ScopedBuffer<{T}>`, a `ScopedPitchedBuffer<{T}>`, or a part of one that can be written",
    note = "`slice` and `part` only read: use `slice_mut` or `part_mut` to write a part",
    note = "hold the buffer first: `let mut held = s.hold(&mut buffer);`, and pass `&mut held`"
)]
pub trait Destination<'s, T: Element>: sealed::Target {}

#[diagnostic::do_not_recommend]
impl<'s, T: Element> Destination<'s, T> for ScopedBuffer<'s, T> {}
#[diagnostic::do_not_recommend]
impl<'s, T: Element> Destination<'s, T> for ScopedSliceMut<'_, 's, T> {}
#[diagnostic::do_not_recommend]
impl<'s, T: Element> Destination<'s, T> for ScopedPitchedBuffer<'s, T> {}
#[diagnostic::do_not_recommend]
impl<'s, T: Element> Destination<'s, T> for ScopedPitchedSliceMut<'_, 's, T> {}

#[diagnostic::do_not_recommend]
impl<'s, T: Texel> Destination<'s, T> for ScopedArray<'s, T> {}

macro_rules! holdable {
    ($($bound:ident: $memory:ty => $held:ident;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<'ctx, T: $bound> Holdable<'ctx, T> for $memory {
            type Held<'s>
                = $held<'s, T>
            where
                Self: 's;

            fn hold<'s>(&'s mut self, _: Key) -> $held<'s, T> {
                $held::of_view(self.view())
            }
        }
    )* };
}
holdable! {
    Element: DeviceBuffer<'ctx, T> => ScopedBuffer;
    Element: DeviceSliceMut<'_, 'ctx, T> => ScopedBuffer;
    Element: GrowableBuffer<'ctx, T> => ScopedBuffer;
    Element: PitchedBuffer<'ctx, T> => ScopedPitchedBuffer;
    Element: PitchedSliceMut<'_, 'ctx, T> => ScopedPitchedBuffer;
    Texel: Array<'ctx, T> => ScopedArray;
    Texel: ArraySliceMut<'_, 'ctx, T> => ScopedArray;
}

pub(crate) mod sealed {
    use super::*;

    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot implement `Destination`, which is sealed",
        label = "only memory that a scope holds does"
    )]
    pub trait Target {
        /// Returns the access of an operation that writes the memory.
        fn target(&self) -> Access<'_>;
    }

    macro_rules! targets {
        ($($bound:ident: $memory:ty;)*) => { $(
            #[diagnostic::do_not_recommend]
            impl<T: $bound> Target for $memory {
                #[inline]
                fn target(&self) -> Access<'_> {
                    self.used(true)
                }
            }
        )* };
    }
    targets! {
        Element: ScopedBuffer<'_, T>;
        Element: ScopedSliceMut<'_, '_, T>;
        Element: ScopedPitchedBuffer<'_, T>;
        Element: ScopedPitchedSliceMut<'_, '_, T>;
        Texel: ScopedArray<'_, T>;
    }
}
