//! The elements of arrays.

use super::Element;
use ffi::CUarray_format;

/// An element of an [`Array`](crate::texture::Array), or of memory that a [`Texture`](crate::texture::Texture) reads: one,
/// two or four channels. Sealed.
///
/// A channel is `u8`, `i8`, `u16`, `i16`, `u32`, `i32` or `f32`, and with the feature `half` also `f16`. `T` has one
/// channel, `[T; 2]` two and `[T; 4]` four.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no element of arrays and textures",
    label = "expected a channel `T`, `[T; 2]` or `[T; 4]`",
    note = "a channel is `u8`, `i8`, `u16`, `i16`, `u32`, `i32`, `f32`, or `half::f16`; there are no elements of three channels"
)]
pub trait Texel: Element + sealed::Texel {}

pub(crate) mod sealed {
    use super::*;

    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot implement `Texel`, which is sealed",
        label = "only channels, and arrays of two or four of them, do"
    )]
    pub trait Texel {
        #[doc(hidden)]
        const FORMAT: CUarray_format;
        #[doc(hidden)]
        const CHANNELS: u32;
    }
}

macro_rules! texels {
    ($($channel:ty, $format:ident;)*) => { $(
        texels! { @ $channel, $format, 1; [$channel; 2], $format, 2; [$channel; 4], $format, 4; }
    )* };
    (@ $($texel:ty, $format:ident, $channels:literal;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl Texel for $texel {}
        #[diagnostic::do_not_recommend]
        impl sealed::Texel for $texel {
            const FORMAT: CUarray_format = ffi::$format;
            const CHANNELS: u32 = $channels;
        }
    )* };
}
texels! {
    u8, CU_AD_FORMAT_UNSIGNED_INT8;
    u16, CU_AD_FORMAT_UNSIGNED_INT16;
    u32, CU_AD_FORMAT_UNSIGNED_INT32;
    i8, CU_AD_FORMAT_SIGNED_INT8;
    i16, CU_AD_FORMAT_SIGNED_INT16;
    i32, CU_AD_FORMAT_SIGNED_INT32;
    f32, CU_AD_FORMAT_FLOAT;
}
#[cfg(feature = "half")]
texels! {
    half::f16, CU_AD_FORMAT_HALF;
}
