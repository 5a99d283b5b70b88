//! Formats of the elements of arrays and textures.

use core::ffi::c_uint;

enumeration! {
    /// Formats of the elements of an array.
    pub enum CUarray_format: c_uint {
        /// Unsigned integers of 8 bits.
        CU_AD_FORMAT_UNSIGNED_INT8 = 0x01,
        /// Unsigned integers of 16 bits.
        CU_AD_FORMAT_UNSIGNED_INT16 = 0x02,
        /// Unsigned integers of 32 bits.
        CU_AD_FORMAT_UNSIGNED_INT32 = 0x03,
        /// Signed integers of 8 bits.
        CU_AD_FORMAT_SIGNED_INT8 = 0x08,
        /// Signed integers of 16 bits.
        CU_AD_FORMAT_SIGNED_INT16 = 0x09,
        /// Signed integers of 32 bits.
        CU_AD_FORMAT_SIGNED_INT32 = 0x0a,
        /// Floating-point numbers of 16 bits.
        CU_AD_FORMAT_HALF = 0x10,
        /// Floating-point numbers of 32 bits.
        CU_AD_FORMAT_FLOAT = 0x20,
        /// The format `NV12`.
        CU_AD_FORMAT_NV12 = 0xb0,
        /// One channel of 8 bits, read as numbers from 0 to 1.
        CU_AD_FORMAT_UNORM_INT8X1 = 0xc0,
        /// Two channels of 8 bits, read as numbers from 0 to 1.
        CU_AD_FORMAT_UNORM_INT8X2 = 0xc1,
        /// Four channels of 8 bits, read as numbers from 0 to 1.
        CU_AD_FORMAT_UNORM_INT8X4 = 0xc2,
        /// One channel of 16 bits, read as numbers from 0 to 1.
        CU_AD_FORMAT_UNORM_INT16X1 = 0xc3,
        /// Two channels of 16 bits, read as numbers from 0 to 1.
        CU_AD_FORMAT_UNORM_INT16X2 = 0xc4,
        /// Four channels of 16 bits, read as numbers from 0 to 1.
        CU_AD_FORMAT_UNORM_INT16X4 = 0xc5,
        /// One channel of 8 bits, read as numbers from -1 to 1.
        CU_AD_FORMAT_SNORM_INT8X1 = 0xc6,
        /// Two channels of 8 bits, read as numbers from -1 to 1.
        CU_AD_FORMAT_SNORM_INT8X2 = 0xc7,
        /// Four channels of 8 bits, read as numbers from -1 to 1.
        CU_AD_FORMAT_SNORM_INT8X4 = 0xc8,
        /// One channel of 16 bits, read as numbers from -1 to 1.
        CU_AD_FORMAT_SNORM_INT16X1 = 0xc9,
        /// Two channels of 16 bits, read as numbers from -1 to 1.
        CU_AD_FORMAT_SNORM_INT16X2 = 0xca,
        /// Four channels of 16 bits, read as numbers from -1 to 1.
        CU_AD_FORMAT_SNORM_INT16X4 = 0xcb,
        /// Block compression BC1: `UNORM`.
        CU_AD_FORMAT_BC1_UNORM = 0x91,
        /// Block compression BC1: `UNORM_SRGB`.
        CU_AD_FORMAT_BC1_UNORM_SRGB = 0x92,
        /// Block compression BC2: `UNORM`.
        CU_AD_FORMAT_BC2_UNORM = 0x93,
        /// Block compression BC2: `UNORM_SRGB`.
        CU_AD_FORMAT_BC2_UNORM_SRGB = 0x94,
        /// Block compression BC3: `UNORM`.
        CU_AD_FORMAT_BC3_UNORM = 0x95,
        /// Block compression BC3: `UNORM_SRGB`.
        CU_AD_FORMAT_BC3_UNORM_SRGB = 0x96,
        /// Block compression BC4: `UNORM`.
        CU_AD_FORMAT_BC4_UNORM = 0x97,
        /// Block compression BC4: `SNORM`.
        CU_AD_FORMAT_BC4_SNORM = 0x98,
        /// Block compression BC5: `UNORM`.
        CU_AD_FORMAT_BC5_UNORM = 0x99,
        /// Block compression BC5: `SNORM`.
        CU_AD_FORMAT_BC5_SNORM = 0x9a,
        /// Block compression BC6H: `UF16`.
        CU_AD_FORMAT_BC6H_UF16 = 0x9b,
        /// Block compression BC6H: `SF16`.
        CU_AD_FORMAT_BC6H_SF16 = 0x9c,
        /// Block compression BC7: `UNORM`.
        CU_AD_FORMAT_BC7_UNORM = 0x9d,
        /// Block compression BC7: `UNORM_SRGB`.
        CU_AD_FORMAT_BC7_UNORM_SRGB = 0x9e,
        /// The format `P010`.
        CU_AD_FORMAT_P010 = 0x9f,
        /// The format `P016`.
        CU_AD_FORMAT_P016 = 0xa1,
        /// The format `NV16`.
        CU_AD_FORMAT_NV16 = 0xa2,
        /// The format `P210`.
        CU_AD_FORMAT_P210 = 0xa3,
        /// The format `P216`.
        CU_AD_FORMAT_P216 = 0xa4,
        /// The format `YUY2`.
        CU_AD_FORMAT_YUY2 = 0xa5,
        /// The format `Y210`.
        CU_AD_FORMAT_Y210 = 0xa6,
        /// The format `Y216`.
        CU_AD_FORMAT_Y216 = 0xa7,
        /// The format `AYUV`.
        CU_AD_FORMAT_AYUV = 0xa8,
        /// The format `Y410`.
        CU_AD_FORMAT_Y410 = 0xa9,
        /// The format `Y416`.
        CU_AD_FORMAT_Y416 = 0xb1,
        /// The format `Y444_PLANAR8`.
        CU_AD_FORMAT_Y444_PLANAR8 = 0xb2,
        /// The format `Y444_PLANAR10`.
        CU_AD_FORMAT_Y444_PLANAR10 = 0xb3,
        /// The format `YUV444_8bit_SemiPlanar`.
        CU_AD_FORMAT_YUV444_8bit_SemiPlanar = 0xb4,
        /// The format `YUV444_16bit_SemiPlanar`.
        CU_AD_FORMAT_YUV444_16bit_SemiPlanar = 0xb5,
        /// The format `UNORM_INT_101010_2`.
        CU_AD_FORMAT_UNORM_INT_101010_2 = 0x50,
        /// The format `UINT8_PACKED_422`.
        CU_AD_FORMAT_UINT8_PACKED_422 = 0x51,
        /// The format `UINT8_PACKED_444`.
        CU_AD_FORMAT_UINT8_PACKED_444 = 0x52,
        /// The format `UINT8_SEMIPLANAR_420`.
        CU_AD_FORMAT_UINT8_SEMIPLANAR_420 = 0x53,
        /// The format `UINT16_SEMIPLANAR_420`.
        CU_AD_FORMAT_UINT16_SEMIPLANAR_420 = 0x54,
        /// The format `UINT8_SEMIPLANAR_422`.
        CU_AD_FORMAT_UINT8_SEMIPLANAR_422 = 0x55,
        /// The format `UINT16_SEMIPLANAR_422`.
        CU_AD_FORMAT_UINT16_SEMIPLANAR_422 = 0x56,
        /// The format `UINT8_SEMIPLANAR_444`.
        CU_AD_FORMAT_UINT8_SEMIPLANAR_444 = 0x57,
        /// The format `UINT16_SEMIPLANAR_444`.
        CU_AD_FORMAT_UINT16_SEMIPLANAR_444 = 0x58,
        /// The format `UINT8_PLANAR_420`.
        CU_AD_FORMAT_UINT8_PLANAR_420 = 0x59,
        /// The format `UINT16_PLANAR_420`.
        CU_AD_FORMAT_UINT16_PLANAR_420 = 0x5a,
        /// The format `UINT8_PLANAR_422`.
        CU_AD_FORMAT_UINT8_PLANAR_422 = 0x5b,
        /// The format `UINT16_PLANAR_422`.
        CU_AD_FORMAT_UINT16_PLANAR_422 = 0x5c,
        /// The format `UINT8_PLANAR_444`.
        CU_AD_FORMAT_UINT8_PLANAR_444 = 0x5d,
        /// The format `UINT16_PLANAR_444`.
        CU_AD_FORMAT_UINT16_PLANAR_444 = 0x5e,
        /// The format `MAX`.
        CU_AD_FORMAT_MAX = 0x7FFFFFFF,
    }
    /// Formats of views of resources.
    pub enum CUresourceViewFormat: c_uint {
        /// That of the resource.
        CU_RES_VIEW_FORMAT_NONE = 0x00,
        /// One channel of 8 bits: unsigned integers.
        CU_RES_VIEW_FORMAT_UINT_1X8 = 0x01,
        /// Two channels of 8 bits: unsigned integers.
        CU_RES_VIEW_FORMAT_UINT_2X8 = 0x02,
        /// Four channels of 8 bits: unsigned integers.
        CU_RES_VIEW_FORMAT_UINT_4X8 = 0x03,
        /// One channel of 8 bits: signed integers.
        CU_RES_VIEW_FORMAT_SINT_1X8 = 0x04,
        /// Two channels of 8 bits: signed integers.
        CU_RES_VIEW_FORMAT_SINT_2X8 = 0x05,
        /// Four channels of 8 bits: signed integers.
        CU_RES_VIEW_FORMAT_SINT_4X8 = 0x06,
        /// One channel of 16 bits: unsigned integers.
        CU_RES_VIEW_FORMAT_UINT_1X16 = 0x07,
        /// Two channels of 16 bits: unsigned integers.
        CU_RES_VIEW_FORMAT_UINT_2X16 = 0x08,
        /// Four channels of 16 bits: unsigned integers.
        CU_RES_VIEW_FORMAT_UINT_4X16 = 0x09,
        /// One channel of 16 bits: signed integers.
        CU_RES_VIEW_FORMAT_SINT_1X16 = 0x0a,
        /// Two channels of 16 bits: signed integers.
        CU_RES_VIEW_FORMAT_SINT_2X16 = 0x0b,
        /// Four channels of 16 bits: signed integers.
        CU_RES_VIEW_FORMAT_SINT_4X16 = 0x0c,
        /// One channel of 32 bits: unsigned integers.
        CU_RES_VIEW_FORMAT_UINT_1X32 = 0x0d,
        /// Two channels of 32 bits: unsigned integers.
        CU_RES_VIEW_FORMAT_UINT_2X32 = 0x0e,
        /// Four channels of 32 bits: unsigned integers.
        CU_RES_VIEW_FORMAT_UINT_4X32 = 0x0f,
        /// One channel of 32 bits: signed integers.
        CU_RES_VIEW_FORMAT_SINT_1X32 = 0x10,
        /// Two channels of 32 bits: signed integers.
        CU_RES_VIEW_FORMAT_SINT_2X32 = 0x11,
        /// Four channels of 32 bits: signed integers.
        CU_RES_VIEW_FORMAT_SINT_4X32 = 0x12,
        /// One channel of 16 bits: floating point.
        CU_RES_VIEW_FORMAT_FLOAT_1X16 = 0x13,
        /// Two channels of 16 bits: floating point.
        CU_RES_VIEW_FORMAT_FLOAT_2X16 = 0x14,
        /// Four channels of 16 bits: floating point.
        CU_RES_VIEW_FORMAT_FLOAT_4X16 = 0x15,
        /// One channel of 32 bits: floating point.
        CU_RES_VIEW_FORMAT_FLOAT_1X32 = 0x16,
        /// Two channels of 32 bits: floating point.
        CU_RES_VIEW_FORMAT_FLOAT_2X32 = 0x17,
        /// Four channels of 32 bits: floating point.
        CU_RES_VIEW_FORMAT_FLOAT_4X32 = 0x18,
        /// Block compression BC1, unsigned.
        CU_RES_VIEW_FORMAT_UNSIGNED_BC1 = 0x19,
        /// Block compression BC2, unsigned.
        CU_RES_VIEW_FORMAT_UNSIGNED_BC2 = 0x1a,
        /// Block compression BC3, unsigned.
        CU_RES_VIEW_FORMAT_UNSIGNED_BC3 = 0x1b,
        /// Block compression BC4, unsigned.
        CU_RES_VIEW_FORMAT_UNSIGNED_BC4 = 0x1c,
        /// Block compression BC4, signed.
        CU_RES_VIEW_FORMAT_SIGNED_BC4 = 0x1d,
        /// Block compression BC5, unsigned.
        CU_RES_VIEW_FORMAT_UNSIGNED_BC5 = 0x1e,
        /// Block compression BC5, signed.
        CU_RES_VIEW_FORMAT_SIGNED_BC5 = 0x1f,
        /// Block compression BC6H, unsigned.
        CU_RES_VIEW_FORMAT_UNSIGNED_BC6H = 0x20,
        /// Block compression BC6H, signed.
        CU_RES_VIEW_FORMAT_SIGNED_BC6H = 0x21,
        /// Block compression BC7, unsigned.
        CU_RES_VIEW_FORMAT_UNSIGNED_BC7 = 0x22,
    }
}
