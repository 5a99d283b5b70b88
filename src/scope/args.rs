//! The memory to read and the kernel arguments that operations of a scope take.

use super::{ScopedBuffer, ScopedPinned, ScopedPitchedBuffer, ScopedPitchedSlice, ScopedSlice};
use crate::args::operands;
use crate::args::sealed::{Operand, Operands};
use crate::args::source::Readable;
use crate::kernel::launchable::Argument;
use crate::memory::access_policy::window_memory;
use crate::memory::{
    DeviceBuffer, DeviceSlice, DeviceSliceMut, Element, PinnedBuffer, PitchedBuffer, PitchedSlice,
    PitchedSliceMut,
};
use crate::tuples::tuples;
use bytemuck::NoUninit;

pub use crate::args::Source;

impl<'s, T: Element> Source<'s, '_, T> for &ScopedBuffer<'s, T> {}
impl<'s, T: Element> Source<'s, '_, T> for ScopedSlice<'_, 's, T> {}
impl<'s, T: Element> Source<'s, '_, T> for &ScopedPitchedBuffer<'s, T> {}
impl<'s, T: Element> Source<'s, '_, T> for ScopedPitchedSlice<'_, 's, T> {}

/// One argument of a launch in a scope. Sealed.
///
/// - A plain value.
/// - `&held` for memory that the kernel reads, `&mut held` for memory that it writes.
/// - `&buffer` for memory that nothing in the scope writes. A buffer that only one launch in the scope touches
///   may be passed directly as `&mut buffer`.
/// - `&mapped` and `&mut mapped`, or `&pinned` and `&mut pinned`, for page-locked host memory. Graphs do not
///   take these.
///
/// A plain value has the type that Rust infers, as for [`KernelArg`](crate::KernelArg).
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a kernel argument in a scope",
    label = "neither a plain value nor memory that is lent to this scope",
    note = "pass a number or a plain struct by value, `&buffer` or `&held` to read, and `&mut held` to write, after `let mut held = s.hold(&mut buffer);`"
)]
pub trait ScopeArg<'s, 'ctx>: Operand {}

#[diagnostic::do_not_recommend]
impl<T: NoUninit> ScopeArg<'_, '_> for T {}
impl<'s, 'ctx, T: Element> ScopeArg<'s, 'ctx> for &'s DeviceBuffer<'ctx, T> {}
impl<'s, 'ctx, T: Element> ScopeArg<'s, 'ctx> for &'s mut DeviceBuffer<'ctx, T> {}
impl<'s, T: Element> ScopeArg<'s, '_> for &ScopedBuffer<'s, T> {}
impl<'s, T: Element> ScopeArg<'s, '_> for &mut ScopedBuffer<'s, T> {}
impl<'s, 'ctx, T: Element> ScopeArg<'s, 'ctx> for DeviceSlice<'s, 'ctx, T> {}
impl<'s, 'ctx, T: Element> ScopeArg<'s, 'ctx> for &'s DeviceSliceMut<'_, 'ctx, T> {}
impl<'s, 'ctx, T: Element> ScopeArg<'s, 'ctx> for &'s mut DeviceSliceMut<'_, 'ctx, T> {}
impl<'s, T: Element> ScopeArg<'s, '_> for &'s PinnedBuffer<T> {}
impl<'s, T: Element> ScopeArg<'s, '_> for &'s mut PinnedBuffer<T> {}
impl<'s, T: Element> ScopeArg<'s, '_> for &ScopedPinned<'s, T> {}
impl<'s, T: Element> ScopeArg<'s, '_> for &mut ScopedPinned<'s, T> {}
impl<'s, T: Element> ScopeArg<'s, '_> for ScopedSlice<'_, 's, T> {}
impl<'s, 'ctx, T: Element> ScopeArg<'s, 'ctx> for &'s PitchedBuffer<'ctx, T> {}
impl<'s, 'ctx, T: Element> ScopeArg<'s, 'ctx> for &'s mut PitchedBuffer<'ctx, T> {}
impl<'s, 'ctx, T: Element> ScopeArg<'s, 'ctx> for PitchedSlice<'s, 'ctx, T> {}
impl<'s, 'ctx, T: Element> ScopeArg<'s, 'ctx> for &'s PitchedSliceMut<'_, 'ctx, T> {}
impl<'s, 'ctx, T: Element> ScopeArg<'s, 'ctx> for &'s mut PitchedSliceMut<'_, 'ctx, T> {}
impl<'s, T: Element> ScopeArg<'s, '_> for &ScopedPitchedBuffer<'s, T> {}
impl<'s, T: Element> ScopeArg<'s, '_> for &mut ScopedPitchedBuffer<'s, T> {}
impl<'s, T: Element> ScopeArg<'s, '_> for ScopedPitchedSlice<'_, 's, T> {}

/// The arguments of a launch in a scope: a tuple of up to twelve [`ScopeArg`]s, in the kernel's order. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tuple of kernel arguments for a scope",
    label = "expected a tuple such as `(n, a, &x, &mut y)`",
    note = "write `(x,)` for a single argument and `()` for none; the maximum is twelve",
    note = "each argument is a plain value, `&buffer`, `&held` or `&mut held`"
)]
pub trait ScopeArgs<'s, 'ctx>: Operands {}

impl<T: Element> Readable for &ScopedBuffer<'_, T> {}
impl<T: Element> Readable for ScopedSlice<'_, '_, T> {}
impl<T: Element> Readable for &ScopedPitchedBuffer<'_, T> {}
impl<T: Element> Readable for ScopedPitchedSlice<'_, '_, T> {}

operands! {
    &ScopedBuffer<'_, T>, false, true;
    &mut ScopedBuffer<'_, T>, true, true;
    ScopedSlice<'_, '_, T>, false, true;
    &ScopedPitchedBuffer<'_, T>, false, true;
    &mut ScopedPitchedBuffer<'_, T>, true, true;
    ScopedPitchedSlice<'_, '_, T>, false, true;
    &ScopedPinned<'_, T>, false, true;
    &mut ScopedPinned<'_, T>, true, true;
}

window_memory!(ScopedBuffer<'_, T>, ScopedSlice<'_, '_, T>);

macro_rules! args {
    ($(($($a:ident $second:ident)*))*) => { $(
        impl<'s, 'ctx, $($a: ScopeArg<'s, 'ctx>),*> ScopeArgs<'s, 'ctx> for ($($a,)*) {}
    )* };
}
tuples!(args);

impl<T: Element> Argument<&[T]> for &ScopedBuffer<'_, T> {}
impl<T: Element> Argument<&[T]> for &ScopedPinned<'_, T> {}
impl<T: Element> Argument<&[T]> for ScopedSlice<'_, '_, T> {}
impl<T: Element> Argument<&[T]> for &ScopedPitchedBuffer<'_, T> {}
impl<T: Element> Argument<&[T]> for ScopedPitchedSlice<'_, '_, T> {}
impl<T: Element> Argument<&mut [T]> for &mut ScopedPitchedBuffer<'_, T> {}
impl<T: Element> Argument<&mut [T]> for &mut ScopedBuffer<'_, T> {}
impl<T: Element> Argument<&mut [T]> for &mut ScopedPinned<'_, T> {}
