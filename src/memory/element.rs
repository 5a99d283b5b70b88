//! The types of elements in device memory.

use crate::error::{Error, Result};
use bytemuck::allocation::try_zeroed_vec;
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
    note = "device memory holds plain data: numbers, arrays of them, `#[repr(C)]` structs with bytemuck's `#[derive(Pod, Zeroable)]`",
    note = "use `u8` for a `bool`, a number for a `char` or an enum, an index for a reference or a `Vec`",
    note = "a struct has no padding: sort its fields by their alignment, and write what is left as a field, such as `_padding: [u8; 7]`"
)]
pub trait Element: AnyBitPattern + NoUninit + Send + Sync {}

#[diagnostic::do_not_recommend]
impl<T: AnyBitPattern + NoUninit + Send + Sync> Element for T {}

/// Makes a `Vec` of zeros, for a call that fills it.
///
/// # Errors
/// `CUDA_ERROR_OUT_OF_MEMORY` if the host does not have as much memory.
#[inline]
pub(crate) fn zeros<T: Element>(call: &'static str, len: usize) -> Result<Vec<T>> {
    try_zeroed_vec(len).map_err(|()| Error::no_host_memory(call))
}

/// An element that a fill can set: the driver fills memory with values of 1, 2 or 4 bytes.
///
/// Numbers of these sizes implement it, and arrays of them that have such a size. Implement it for your own type if it
/// has one. An operation that fills with a type of another size does not compile.
///
/// # Examples
/// ```
/// # use cuscope::{Context, ContextFlags, ContextStack, Device};
/// use bytemuck::{Pod, Zeroable};
/// use cuscope::memory::Fillable;
///
/// #[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
/// #[repr(C)]
/// struct Pixel {
///     red: u8,
///     green: u8,
///     blue: u8,
///     alpha: u8,
/// }
/// impl Fillable for Pixel {}
///
/// # fn main() -> cuscope::Result {
/// # let context = Context::create(Device::get(0)?, ContextFlags::default())?;
/// # let mut stack = ContextStack::current_thread()?;
/// # let gpu = stack.push(&context)?;
/// # let stream = gpu.stream()?;
/// let mut image = gpu.alloc(64)?;
/// let sky = Pixel { red: 80, green: 160, blue: 240, alpha: 255 };
/// gpu.on(&stream).fill(&mut image, sky)?;
/// assert_eq!(gpu.on(&stream).to_vec(&image)?, [sky; 64]);
/// # Ok(()) }
/// ```
#[diagnostic::on_unimplemented(
    message = "a fill cannot set elements of type `{Self}`",
    label = "no value of 1, 2 or 4 bytes",
    note = "the driver fills with values of 1, 2 or 4 bytes; `zero` and `upload` take every type",
    note = "for your own type of such a size, write `impl cuscope::memory::Fillable for …`"
)]
pub trait Fillable: Element {}

macro_rules! fillable {
    ($($one:ty, $($len:literal)*;)*) => { $(
        impl Fillable for $one {}
        $(impl Fillable for [$one; $len] {})*
    )* };
}
fillable! {
    u8, 1 2 4;
    i8, 1 2 4;
    u16, 1 2;
    i16, 1 2;
    u32, 1;
    i32, 1;
    f32, 1;
}
#[cfg(feature = "half")]
fillable! {
    half::f16, 1 2;
    half::bf16, 1 2;
}
