//! Device memory that is read.

use super::sealed::Operand;
use crate::memory::{DeviceBuffer, DeviceSlice, Element};

/// Device memory that a scope can read: `&buffer` or a slice of it, borrowed until the scope ends, `&held`,
/// or a slice of that. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not device memory that this scope can read",
    label = "expected `&DeviceBuffer<T>`, `&ScopedBuffer<T>`, or a slice of these",
    note = "lend the buffer: `&buffer`, or `&held` for what `s.hold(&mut buffer)` returned"
)]
pub trait Source<'s, 'ctx, T: Element>: Copy + Operand + Readable {}

impl<'s, 'ctx, T: Element> Source<'s, 'ctx, T> for &'s DeviceBuffer<'ctx, T> {}
impl<'s, 'ctx, T: Element> Source<'s, 'ctx, T> for DeviceSlice<'s, 'ctx, T> {}

/// Memory. A plain value is an [`Operand`] too.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot implement `Source`, which is sealed",
    label = "only `&DeviceBuffer`, `&ScopedBuffer` and slices of them do"
)]
pub trait Readable {}
impl<T: Element> Readable for &DeviceBuffer<'_, T> {}
impl<T: Element> Readable for DeviceSlice<'_, '_, T> {}
