//! Device memory that is read.

use super::operands;
use super::sealed::{Operand, Reads};
use crate::memory::access::Access;
use crate::memory::array::{Array, ArraySlice, ArraySliceMut};
use crate::memory::texel::Texel;
use crate::memory::{
    DeviceBuffer, DeviceSlice, DeviceSliceMut, Element, GrowableBuffer, PitchedBuffer,
    PitchedSlice, PitchedSliceMut,
};

/// Device memory that a scope can read: `&buffer` or a slice of it, borrowed until the scope ends, `&held`,
/// or a slice of that. `slice` and `&slice` are the same. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not device memory that this scope can read",
    label = "expected `&DeviceBuffer<T>`, `&PitchedBuffer<T>`, `&ScopedBuffer<T>`, or a part of these",
    note = "pass `&buffer`, or `&held` after `let held = s.hold(&mut buffer);`"
)]
pub trait Source<'s, 'ctx, T: Element>: Copy + Operand + Reads<T> {}

#[diagnostic::do_not_recommend]
impl<'s, 'ctx, T: Element> Source<'s, 'ctx, T> for &'s DeviceBuffer<'ctx, T> {}
#[diagnostic::do_not_recommend]
impl<'s, 'ctx, T: Element> Source<'s, 'ctx, T> for DeviceSlice<'s, 'ctx, T> {}
#[diagnostic::do_not_recommend]
impl<'s, 'ctx, T: Element> Source<'s, 'ctx, T> for &DeviceSlice<'s, 'ctx, T> {}
#[diagnostic::do_not_recommend]
impl<'s, 'ctx, T: Element> Source<'s, 'ctx, T> for &'s DeviceSliceMut<'_, 'ctx, T> {}
#[diagnostic::do_not_recommend]
impl<'s, 'ctx, T: Element> Source<'s, 'ctx, T> for &'s GrowableBuffer<'ctx, T> {}
#[diagnostic::do_not_recommend]
impl<'s, 'ctx, T: Element> Source<'s, 'ctx, T> for &'s PitchedBuffer<'ctx, T> {}
#[diagnostic::do_not_recommend]
impl<'s, 'ctx, T: Element> Source<'s, 'ctx, T> for PitchedSlice<'s, 'ctx, T> {}
#[diagnostic::do_not_recommend]
impl<'s, 'ctx, T: Element> Source<'s, 'ctx, T> for &PitchedSlice<'s, 'ctx, T> {}
#[diagnostic::do_not_recommend]
impl<'s, 'ctx, T: Element> Source<'s, 'ctx, T> for &'s PitchedSliceMut<'_, 'ctx, T> {}

// Copies read them; no kernel takes them, as they have no addresses.
#[diagnostic::do_not_recommend]
impl<'s, 'ctx, T: Texel> Source<'s, 'ctx, T> for &'s Array<'ctx, T> {}
#[diagnostic::do_not_recommend]
impl<'s, 'ctx, T: Texel> Source<'s, 'ctx, T> for ArraySlice<'s, 'ctx, T> {}
#[diagnostic::do_not_recommend]
impl<'s, 'ctx, T: Texel> Source<'s, 'ctx, T> for &'s ArraySliceMut<'_, 'ctx, T> {}

operands! {
    [T: Texel] &Array<'_, T> as T, false, true;
    [T: Texel] &mut Array<'_, T> as T, true, true;
    [T: Texel] ArraySlice<'_, '_, T> as T, false, true;
    [T: Texel] &ArraySliceMut<'_, '_, T> as T, false, true;
}
