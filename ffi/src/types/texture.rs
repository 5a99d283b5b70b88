//! Textures and surfaces.

use crate::{CUarray, CUarray_format, CUdeviceptr, CUmipmappedArray, CUresourceViewFormat};
use core::ffi::{c_float, c_int, c_uint};

enumeration! {
    /// The element that is read beyond the edge of a texture.
    pub enum CUaddress_mode: c_uint {
        /// The other side.
        CU_TR_ADDRESS_MODE_WRAP = 0,
        /// The edge.
        CU_TR_ADDRESS_MODE_CLAMP = 1,
        /// The mirror image.
        CU_TR_ADDRESS_MODE_MIRROR = 2,
        /// The border's colour.
        CU_TR_ADDRESS_MODE_BORDER = 3,
    }
    /// How the texels near a coordinate are combined.
    pub enum CUfilter_mode: c_uint {
        /// The nearest one.
        CU_TR_FILTER_MODE_POINT = 0,
        /// Linearly.
        CU_TR_FILTER_MODE_LINEAR = 1,
    }
    /// The kind of memory that a texture or surface reads.
    pub enum CUresourcetype: c_uint {
        /// An array.
        CU_RESOURCE_TYPE_ARRAY = 0x00,
        /// A mipmapped array.
        CU_RESOURCE_TYPE_MIPMAPPED_ARRAY = 0x01,
        /// Memory.
        CU_RESOURCE_TYPE_LINEAR = 0x02,
        /// Rows in memory.
        CU_RESOURCE_TYPE_PITCH2D = 0x03,
    }
}

/// The memory that a texture or surface reads.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUDA_RESOURCE_DESC_v1 {
    /// The kind of the memory.
    pub resType: CUresourcetype,
    /// The resource.
    pub res: CUDA_RESOURCE_DESC_v1_res,
    /// Zero.
    pub flags: c_uint,
}

/// The resource, by its type.
#[repr(C)]
#[derive(Clone, Copy)]
pub union CUDA_RESOURCE_DESC_v1_res {
    /// For an array.
    pub array: CUDA_RESOURCE_DESC_v1_res_array,
    /// For a mipmapped array.
    pub mipmap: CUDA_RESOURCE_DESC_v1_res_mipmap,
    /// For linear memory.
    pub linear: CUDA_RESOURCE_DESC_v1_res_linear,
    /// For rows in memory.
    pub pitch2D: CUDA_RESOURCE_DESC_v1_res_pitch2D,
    /// Reserved; zero.
    pub reserved: CUDA_RESOURCE_DESC_v1_res_reserved,
}

/// The field `array` of [`CUDA_RESOURCE_DESC_v1_res`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_RESOURCE_DESC_v1_res_array {
    /// The array.
    pub hArray: CUarray,
}

/// The field `mipmap` of [`CUDA_RESOURCE_DESC_v1_res`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_RESOURCE_DESC_v1_res_mipmap {
    /// The mipmapped array.
    pub hMipmappedArray: CUmipmappedArray,
}

/// The field `linear` of [`CUDA_RESOURCE_DESC_v1_res`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_RESOURCE_DESC_v1_res_linear {
    /// The memory.
    pub devPtr: CUdeviceptr,
    /// The format of a channel.
    pub format: CUarray_format,
    /// Channels of an element.
    pub numChannels: c_uint,
    /// Bytes.
    pub sizeInBytes: usize,
}

/// The field `pitch2D` of [`CUDA_RESOURCE_DESC_v1_res`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_RESOURCE_DESC_v1_res_pitch2D {
    /// The memory.
    pub devPtr: CUdeviceptr,
    /// The format of a channel.
    pub format: CUarray_format,
    /// Channels of an element.
    pub numChannels: c_uint,
    /// The width.
    pub width: usize,
    /// The height.
    pub height: usize,
    /// Bytes from one row to the next.
    pub pitchInBytes: usize,
}

/// The field `reserved` of [`CUDA_RESOURCE_DESC_v1_res`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_RESOURCE_DESC_v1_res_reserved {
    /// Reserved; zero.
    pub reserved: [c_int; 32],
}

/// The memory that a texture or surface reads.
pub type CUDA_RESOURCE_DESC = CUDA_RESOURCE_DESC_v1;

/// How a texture is read.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_TEXTURE_DESC_v1 {
    /// The element that is read beyond the edges, in each dimension.
    pub addressMode: [CUaddress_mode; 3],
    /// How texels are combined.
    pub filterMode: CUfilter_mode,
    /// Flags: `CU_TRSF_…`.
    pub flags: c_uint,
    /// Greatest anisotropy.
    pub maxAnisotropy: c_uint,
    /// How mip levels are combined.
    pub mipmapFilterMode: CUfilter_mode,
    /// Added to the mip level.
    pub mipmapLevelBias: c_float,
    /// Lowest mip level.
    pub minMipmapLevelClamp: c_float,
    /// Highest mip level.
    pub maxMipmapLevelClamp: c_float,
    /// The colour beyond the edges.
    pub borderColor: [c_float; 4],
    /// Reserved; zero.
    pub reserved: [c_int; 12],
}

/// How a texture is read.
pub type CUDA_TEXTURE_DESC = CUDA_TEXTURE_DESC_v1;

/// The part of a resource that a texture sees, and its format.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_RESOURCE_VIEW_DESC_v1 {
    /// The format of the view.
    pub format: CUresourceViewFormat,
    /// The width.
    pub width: usize,
    /// The height.
    pub height: usize,
    /// The depth.
    pub depth: usize,
    /// First mip level.
    pub firstMipmapLevel: c_uint,
    /// Last mip level.
    pub lastMipmapLevel: c_uint,
    /// First layer.
    pub firstLayer: c_uint,
    /// Last layer.
    pub lastLayer: c_uint,
    /// Reserved; zero.
    pub reserved: [c_uint; 16],
}

/// The part of a resource that a texture sees, and its format.
pub type CUDA_RESOURCE_VIEW_DESC = CUDA_RESOURCE_VIEW_DESC_v1;

/// The format of the reference replaces that of the array.
pub const CU_TRSA_OVERRIDE_FORMAT: c_uint = 0x1;
/// Integers are read as integers, not as numbers from 0 to 1.
pub const CU_TRSF_READ_AS_INTEGER: c_uint = 0x1;
/// Coordinates run from 0 to 1, not over the texels.
pub const CU_TRSF_NORMALIZED_COORDINATES: c_uint = 0x2;
/// Reading converts from sRGB to linear values.
pub const CU_TRSF_SRGB: c_uint = 0x10;
/// Trilinear filtering takes no short cuts.
pub const CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION: c_uint = 0x20;
/// Filtering goes on across the edges of a cube map.
pub const CU_TRSF_SEAMLESS_CUBEMAP: c_uint = 0x40;
/// The default texture unit, for `cuParamSetTexRef`.
pub const CU_PARAM_TR_DEFAULT: c_int = -1;
