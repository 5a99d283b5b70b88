//! Tensor maps.

use crate::cuuint64_t;
use core::ffi::c_uint;

/// A tensor map, as a kernel takes it: made by `cuTensorMapEncodeTiled` and its like.
#[repr(C, align(128))]
#[derive(Clone, Copy, Debug)]
pub struct CUtensorMap {
    /// For the driver and the device alone.
    pub opaque: [cuuint64_t; 16],
}

enumeration! {
    /// Types of the elements of a tensor.
    pub enum CUtensorMapDataType: c_uint {
        /// Unsigned integers of 8 bits.
        CU_TENSOR_MAP_DATA_TYPE_UINT8 = 0,
        /// Unsigned integers of 16 bits.
        CU_TENSOR_MAP_DATA_TYPE_UINT16 = 1,
        /// Unsigned integers of 32 bits.
        CU_TENSOR_MAP_DATA_TYPE_UINT32 = 2,
        /// Signed integers of 32 bits.
        CU_TENSOR_MAP_DATA_TYPE_INT32 = 3,
        /// Unsigned integers of 64 bits.
        CU_TENSOR_MAP_DATA_TYPE_UINT64 = 4,
        /// Signed integers of 64 bits.
        CU_TENSOR_MAP_DATA_TYPE_INT64 = 5,
        /// `f16`.
        CU_TENSOR_MAP_DATA_TYPE_FLOAT16 = 6,
        /// `f32`.
        CU_TENSOR_MAP_DATA_TYPE_FLOAT32 = 7,
        /// `f64`.
        CU_TENSOR_MAP_DATA_TYPE_FLOAT64 = 8,
        /// `bf16`.
        CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 = 9,
        /// `f32`, with denormal numbers read as zero.
        CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ = 10,
        /// `tf32`.
        CU_TENSOR_MAP_DATA_TYPE_TFLOAT32 = 11,
        /// `tf32`, with denormal numbers read as zero.
        CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ = 12,
        /// Sixteen unsigned numbers of 4 bits, packed and aligned to 8 bytes.
        CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B = 13,
        /// Sixteen unsigned numbers of 4 bits, packed and aligned to 16 bytes.
        CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B = 14,
        /// Sixteen unsigned numbers of 6 bits, packed and aligned to 16 bytes.
        CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B = 15,
    }
    /// How channels are laid out.
    pub enum CUtensorMapInterleave: c_uint {
        /// Not interleaved.
        CU_TENSOR_MAP_INTERLEAVE_NONE = 0,
        /// In groups of 16 bytes.
        CU_TENSOR_MAP_INTERLEAVE_16B = 1,
        /// In groups of 32 bytes.
        CU_TENSOR_MAP_INTERLEAVE_32B = 2,
    }
    /// How shared memory is swizzled.
    pub enum CUtensorMapSwizzle: c_uint {
        /// Not at all.
        CU_TENSOR_MAP_SWIZZLE_NONE = 0,
        /// Within 32 bytes.
        CU_TENSOR_MAP_SWIZZLE_32B = 1,
        /// Within 64 bytes.
        CU_TENSOR_MAP_SWIZZLE_64B = 2,
        /// Within 128 bytes.
        CU_TENSOR_MAP_SWIZZLE_128B = 3,
        /// Within 128 bytes, in pieces of 32 bytes.
        CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B = 4,
        /// Within 128 bytes, in pieces of 32 bytes, with 8 bytes flipped.
        CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B = 5,
        /// Within 128 bytes, in pieces of 64 bytes.
        CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B = 6,
    }
    /// How much the L2 cache fetches.
    pub enum CUtensorMapL2promotion: c_uint {
        /// As many bytes as are needed.
        CU_TENSOR_MAP_L2_PROMOTION_NONE = 0,
        /// 64 bytes.
        CU_TENSOR_MAP_L2_PROMOTION_L2_64B = 1,
        /// 128 bytes.
        CU_TENSOR_MAP_L2_PROMOTION_L2_128B = 2,
        /// 256 bytes.
        CU_TENSOR_MAP_L2_PROMOTION_L2_256B = 3,
    }
    /// The value that is read beyond the edges.
    pub enum CUtensorMapFloatOOBfill: c_uint {
        /// Zero.
        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE = 0,
        /// A special NaN that a multiply and add takes for zero.
        CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA = 1,
    }
    /// How the wide form of im2col runs over the pixels.
    pub enum CUtensorMapIm2ColWideMode: c_uint {
        /// Along the width.
        CU_TENSOR_MAP_IM2COL_WIDE_MODE_W = 0,
        /// Along the width, 128 at a time.
        CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128 = 1,
    }
    /// Which class of allocation a tensor map is for.
    pub enum CUtensorMapAllocClass: c_uint {
        /// The driver finds out.
        CU_TENSOR_MAP_ALLOC_CLASS_AUTO = 0,
        /// The small one.
        CU_TENSOR_MAP_ALLOC_CLASS_SMALL = 1,
        /// The large one, of `CU_DEVICE_ATTRIBUTE_TENSOR_MAP_LARGE_TENSOR_MIN_SIZE` bytes or more.
        CU_TENSOR_MAP_ALLOC_CLASS_LARGE = 2,
    }
}

/// The size of a [`CUtensorMap`] in words of 8 bytes.
pub const CU_TENSOR_MAP_NUM_QWORDS: c_uint = 16;
