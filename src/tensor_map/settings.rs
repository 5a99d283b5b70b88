//! The settings of a tensor map and the types of its elements, and the numbers that C has for them.

use crate::memory::Element;
use ffi::{
    CUtensorMapDataType, CUtensorMapIm2ColWideMode, CUtensorMapInterleave, CUtensorMapL2promotion,
    CUtensorMapSwizzle,
};

/// How channels are interleaved in memory.
///
/// An interleaved tensor has the channels of a pixel in slices of 16 or 32 bytes, and one slice of all pixels lies before
/// the next one of any. Its dimensions are the width, the height and the depth if there are such, the slices, and the
/// images. So the innermost dimension counts slices of 16 or 32 bytes, whatever the type of the elements
/// ([F601](crate::driver_facts#F601)), and a box has one slice of each pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
#[doc(alias = "CUtensorMapInterleave")]
pub enum Interleave {
    /// Not at all.
    #[default]
    None,
    /// In slices of 16 bytes: NC/8HWC8.
    Bytes16,
    /// In slices of 32 bytes: NC/16HWC16.
    Bytes32,
}

impl Interleave {
    /// Returns the bytes of what the innermost dimension counts: an element of so many bytes, or a slice.
    #[inline]
    pub(super) fn unit(self, element: usize) -> u64 {
        match self {
            Interleave::None => element as u64,
            Interleave::Bytes16 => 16,
            Interleave::Bytes32 => 32,
        }
    }

    #[inline]
    pub(super) fn raw(self) -> CUtensorMapInterleave {
        match self {
            Interleave::None => ffi::CU_TENSOR_MAP_INTERLEAVE_NONE,
            Interleave::Bytes16 => ffi::CU_TENSOR_MAP_INTERLEAVE_16B,
            Interleave::Bytes32 => ffi::CU_TENSOR_MAP_INTERLEAVE_32B,
        }
    }
}

/// How a box is shuffled in shared memory, so that its columns are read without bank conflicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
#[doc(alias = "CUtensorMapSwizzle")]
pub enum Swizzle {
    /// Not at all.
    #[default]
    None,
    /// Pieces of 16 bytes within 32 bytes.
    Bytes32,
    /// Pieces of 16 bytes within 64 bytes.
    Bytes64,
    /// Pieces of 16 bytes within 128 bytes.
    Bytes128,
    /// Pieces of 32 bytes within 128 bytes.
    Bytes128Atom32,
    /// Pieces of 32 bytes within 128 bytes. Every other row swaps the halves of each 16 bytes.
    Bytes128Atom32Flip8,
    /// Pieces of 64 bytes within 128 bytes.
    Bytes128Atom64,
}

impl Swizzle {
    #[inline]
    pub(super) fn raw(self) -> CUtensorMapSwizzle {
        match self {
            Swizzle::None => ffi::CU_TENSOR_MAP_SWIZZLE_NONE,
            Swizzle::Bytes32 => ffi::CU_TENSOR_MAP_SWIZZLE_32B,
            Swizzle::Bytes64 => ffi::CU_TENSOR_MAP_SWIZZLE_64B,
            Swizzle::Bytes128 => ffi::CU_TENSOR_MAP_SWIZZLE_128B,
            Swizzle::Bytes128Atom32 => ffi::CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B,
            Swizzle::Bytes128Atom32Flip8 => ffi::CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B,
            Swizzle::Bytes128Atom64 => ffi::CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B,
        }
    }
}

/// How much the L2 cache fetches at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
#[doc(alias = "CUtensorMapL2promotion")]
pub enum L2Promotion {
    /// As many bytes as are needed.
    #[default]
    None,
    /// 64 bytes.
    Bytes64,
    /// 128 bytes.
    Bytes128,
    /// 256 bytes.
    Bytes256,
}

impl L2Promotion {
    #[inline]
    pub(super) fn raw(self) -> CUtensorMapL2promotion {
        match self {
            L2Promotion::None => ffi::CU_TENSOR_MAP_L2_PROMOTION_NONE,
            L2Promotion::Bytes64 => ffi::CU_TENSOR_MAP_L2_PROMOTION_L2_64B,
            L2Promotion::Bytes128 => ffi::CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
            L2Promotion::Bytes256 => ffi::CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
        }
    }
}

/// How the accelerator changes `f32` elements on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum FloatFormat {
    /// Not at all.
    #[default]
    Keep,
    /// Denormal numbers become zero.
    FlushDenormals,
    /// Numbers are rounded to TF32.
    Tf32,
    /// Numbers are rounded to TF32, and denormal ones become zero.
    Tf32FlushDenormals,
}

impl FloatFormat {
    /// Returns the type of elements that are changed so, or else their own.
    #[inline]
    pub(super) fn raw(self, own: CUtensorMapDataType) -> CUtensorMapDataType {
        match self {
            FloatFormat::Keep => own,
            FloatFormat::FlushDenormals => ffi::CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ,
            FloatFormat::Tf32 => ffi::CU_TENSOR_MAP_DATA_TYPE_TFLOAT32,
            FloatFormat::Tf32FlushDenormals => ffi::CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ,
        }
    }
}

/// A type of the elements of a tensor. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the element of a tensor map",
    label = "expected `u8`, `u16`, `u32`, `i32`, `u64`, `i64`, `f32` or `f64`",
    note = "with the feature `half`, also `half::f16` and `half::bf16`"
)]
pub trait TensorElement: Element + sealed::Kind {}

pub(crate) mod sealed {
    use super::*;

    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot implement `TensorElement`, which is sealed",
        label = "only numbers that the tensor memory accelerator knows do"
    )]
    pub trait Kind {
        const KIND: CUtensorMapDataType;
    }
}

macro_rules! elements {
    ($($ty:ty: $kind:ident;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl TensorElement for $ty {}
        #[diagnostic::do_not_recommend]
        impl sealed::Kind for $ty {
            const KIND: CUtensorMapDataType = ffi::$kind;
        }
    )* };
}
elements! {
    u8: CU_TENSOR_MAP_DATA_TYPE_UINT8;
    u16: CU_TENSOR_MAP_DATA_TYPE_UINT16;
    u32: CU_TENSOR_MAP_DATA_TYPE_UINT32;
    i32: CU_TENSOR_MAP_DATA_TYPE_INT32;
    u64: CU_TENSOR_MAP_DATA_TYPE_UINT64;
    i64: CU_TENSOR_MAP_DATA_TYPE_INT64;
    f32: CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    f64: CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
}
#[cfg(feature = "half")]
elements! {
    half::f16: CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    half::bf16: CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
}

/// The type of the elements of a tensor, for a map that is [encoded](super::TensorLayout::encode) for an address. Where the type is
/// known when the program is compiled, [`PushedGuard::tensor_map`](crate::PushedGuard::tensor_map) takes it from the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[doc(alias = "CUtensorMapDataType")]
pub enum TensorKind {
    /// `u8`.
    U8,
    /// `u16`.
    U16,
    /// `u32`.
    U32,
    /// `i32`.
    I32,
    /// `u64`.
    U64,
    /// `i64`.
    I64,
    /// `f16`, of 2 bytes.
    F16,
    /// `bf16`, of 2 bytes.
    Bf16,
    /// `f32`.
    F32,
    /// `f64`.
    F64,
    /// 16 numbers of 4 bits in 8 bytes. Needs a device of compute capability 10.0 or higher, as the next two.
    U4Packed8,
    /// 16 numbers of 4 bits in 16 bytes.
    U4Packed16,
    /// 16 numbers of 6 bits in 16 bytes.
    U6Packed16,
}

impl TensorKind {
    #[inline]
    pub(super) fn raw(self) -> CUtensorMapDataType {
        match self {
            TensorKind::U8 => ffi::CU_TENSOR_MAP_DATA_TYPE_UINT8,
            TensorKind::U16 => ffi::CU_TENSOR_MAP_DATA_TYPE_UINT16,
            TensorKind::U32 => ffi::CU_TENSOR_MAP_DATA_TYPE_UINT32,
            TensorKind::I32 => ffi::CU_TENSOR_MAP_DATA_TYPE_INT32,
            TensorKind::U64 => ffi::CU_TENSOR_MAP_DATA_TYPE_UINT64,
            TensorKind::I64 => ffi::CU_TENSOR_MAP_DATA_TYPE_INT64,
            TensorKind::F16 => ffi::CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
            TensorKind::Bf16 => ffi::CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
            TensorKind::F32 => ffi::CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
            TensorKind::F64 => ffi::CU_TENSOR_MAP_DATA_TYPE_FLOAT64,
            TensorKind::U4Packed8 => ffi::CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B,
            TensorKind::U4Packed16 => ffi::CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B,
            TensorKind::U6Packed16 => ffi::CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B,
        }
    }

    /// Returns the bytes of an element, or `None` for packed numbers, which have none of their own.
    #[inline]
    pub(super) fn bytes(self) -> Option<usize> {
        match self {
            TensorKind::U8 => Some(1),
            TensorKind::U16 | TensorKind::F16 | TensorKind::Bf16 => Some(2),
            TensorKind::U32 | TensorKind::I32 | TensorKind::F32 => Some(4),
            TensorKind::U64 | TensorKind::I64 | TensorKind::F64 => Some(8),
            TensorKind::U4Packed8 | TensorKind::U4Packed16 | TensorKind::U6Packed16 => None,
        }
    }
}

/// Returns the mode of the wide form of im2col for a number of pixels, and that number.
#[inline]
pub(super) fn wide(pixels: Option<u32>) -> (CUtensorMapIm2ColWideMode, u32) {
    match pixels {
        Some(pixels) => (ffi::CU_TENSOR_MAP_IM2COL_WIDE_MODE_W, pixels),
        None => (ffi::CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128, 128),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sealed::Kind;

    /// The numbers that `cuda.h` gives the settings.
    #[test]
    fn settings_have_the_numbers_of_c() {
        for (setting, number) in
            [(Interleave::None, 0), (Interleave::Bytes16, 1), (Interleave::Bytes32, 2)]
        {
            assert_eq!(setting.raw().0, number, "{setting:?}");
        }
        for (setting, number) in [
            (Swizzle::None, 0),
            (Swizzle::Bytes32, 1),
            (Swizzle::Bytes64, 2),
            (Swizzle::Bytes128, 3),
            (Swizzle::Bytes128Atom32, 4),
            (Swizzle::Bytes128Atom32Flip8, 5),
            (Swizzle::Bytes128Atom64, 6),
        ] {
            assert_eq!(setting.raw().0, number, "{setting:?}");
        }
        for (setting, number) in [
            (L2Promotion::None, 0),
            (L2Promotion::Bytes64, 1),
            (L2Promotion::Bytes128, 2),
            (L2Promotion::Bytes256, 3),
        ] {
            assert_eq!(setting.raw().0, number, "{setting:?}");
        }
        for (setting, number) in [
            (FloatFormat::Keep, 7),
            (FloatFormat::FlushDenormals, 10),
            (FloatFormat::Tf32, 11),
            (FloatFormat::Tf32FlushDenormals, 12),
        ] {
            assert_eq!(setting.raw(f32::KIND).0, number, "{setting:?}");
        }
        let kinds = [u8::KIND, u16::KIND, u32::KIND, i32::KIND, u64::KIND, i64::KIND];
        assert_eq!(kinds.map(|kind| kind.0), [0, 1, 2, 3, 4, 5]);
        assert_eq!([f32::KIND.0, f64::KIND.0], [7, 8]);
        #[cfg(feature = "half")]
        assert_eq!([half::f16::KIND.0, half::bf16::KIND.0], [6, 9]);
        for (kind, number) in [
            (TensorKind::U8, 0),
            (TensorKind::U16, 1),
            (TensorKind::U32, 2),
            (TensorKind::I32, 3),
            (TensorKind::U64, 4),
            (TensorKind::I64, 5),
            (TensorKind::F16, 6),
            (TensorKind::F32, 7),
            (TensorKind::F64, 8),
            (TensorKind::Bf16, 9),
            (TensorKind::U4Packed8, 13),
            (TensorKind::U4Packed16, 14),
            (TensorKind::U6Packed16, 15),
        ] {
            assert_eq!(kind.raw().0, number, "{kind:?}");
        }
        assert_eq!(
            [Some(64), None].map(wide).map(|(mode, pixels)| (mode.0, pixels)),
            [(0, 64), (1, 128)]
        );
    }
}
