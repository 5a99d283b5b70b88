//! The types of elements in device memory.

use bytemuck::{AnyBitPattern, NoUninit};

/// A type that may live in device memory: plain data for which every bit pattern is valid (invariant
/// [`plain-data`](crate::soundness#plain-data)). The device may leave any bytes there, and copies to the device
/// read every byte.
///
/// Implemented for every type that is [`AnyBitPattern`] and [`NoUninit`]: numbers, arrays of them, and structs
/// with `#[derive(Pod, Zeroable)]` from the crate `bytemuck`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot live in device memory",
    label = "not plain data",
    note = "device memory holds plain data: numbers, arrays of them, `#[repr(C)]` structs with bytemuck's `#[derive(Pod, Zeroable)]`"
)]
pub trait Element: AnyBitPattern + NoUninit + Send + Sync {}

#[diagnostic::do_not_recommend]
impl<T: AnyBitPattern + NoUninit + Send + Sync> Element for T {}
