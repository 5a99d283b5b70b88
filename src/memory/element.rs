//! What may live in device memory.

use bytemuck::{AnyBitPattern, NoUninit};

/// A type that may live in device memory: plain data, of which every bit pattern is a value
/// (invariant `plain-data`): the device may leave any bytes behind, and copies to it read every byte.
///
/// Implemented for whatever is [`AnyBitPattern`] and [`NoUninit`], so for numbers, arrays of them,
/// and structs with `#[derive(Pod, Zeroable)]` of the crate `bytemuck`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot live in device memory",
    label = "not plain data",
    note = "device memory holds plain data: numbers, arrays of them, `#[repr(C)]` structs with bytemuck's `#[derive(Pod, Zeroable)]`"
)]
pub trait Element: AnyBitPattern + NoUninit + Send + Sync {}

#[diagnostic::do_not_recommend]
impl<T: AnyBitPattern + NoUninit + Send + Sync> Element for T {}
