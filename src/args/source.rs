//! Device memory that is read.

use super::sealed::Operand;
use crate::memory::{DeviceBuffer, DeviceSlice, Element, PitchedBuffer, PitchedSlice};

/// Device memory that a scope can read: `&buffer` or a slice of it, borrowed until the scope ends, `&held`,
/// or a slice of that. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not device memory that this scope can read",
    label = "expected `&DeviceBuffer<T>`, `&PitchedBuffer<T>`, `&ScopedBuffer<T>`, or a part of these",
    note = "pass `&buffer`, or `&held` after `let held = s.hold(&mut buffer);`"
)]
pub trait Source<'s, 'ctx, T: Element>: Copy + Operand + Readable {}

impl<'s, 'ctx, T: Element> Source<'s, 'ctx, T> for &'s DeviceBuffer<'ctx, T> {}
impl<'s, 'ctx, T: Element> Source<'s, 'ctx, T> for DeviceSlice<'s, 'ctx, T> {}
impl<'s, 'ctx, T: Element> Source<'s, 'ctx, T> for &'s PitchedBuffer<'ctx, T> {}
impl<'s, 'ctx, T: Element> Source<'s, 'ctx, T> for PitchedSlice<'s, 'ctx, T> {}

/// Memory. A plain value is an [`Operand`] too.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot implement `Source`, which is sealed",
    label = "only `&DeviceBuffer`, `&ScopedBuffer` and slices of them do"
)]
pub trait Readable {}
impl<T: Element> Readable for &DeviceBuffer<'_, T> {}
impl<T: Element> Readable for DeviceSlice<'_, '_, T> {}
impl<T: Element> Readable for &PitchedBuffer<'_, T> {}
impl<T: Element> Readable for PitchedSlice<'_, '_, T> {}
