//! Copies, and the arrays that they go to.

use crate::{CUarray, CUarray_format, CUcontext, CUdeviceptr, CUmemorytype};
use core::ffi::{c_uint, c_ulonglong, c_void};

enumeration! {
    /// Faces of a cube map.
    pub enum CUarray_cubemap_face: c_uint {
        /// Towards x.
        CU_CUBEMAP_FACE_POSITIVE_X = 0x00,
        /// Away from x.
        CU_CUBEMAP_FACE_NEGATIVE_X = 0x01,
        /// Towards y.
        CU_CUBEMAP_FACE_POSITIVE_Y = 0x02,
        /// Away from y.
        CU_CUBEMAP_FACE_NEGATIVE_Y = 0x03,
        /// Towards z.
        CU_CUBEMAP_FACE_POSITIVE_Z = 0x04,
        /// Away from z.
        CU_CUBEMAP_FACE_NEGATIVE_Z = 0x05,
    }
}

/// A copy of rows.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_MEMCPY2D_v2 {
    /// First byte of a row of the source.
    pub srcXInBytes: usize,
    /// First row of the source.
    pub srcY: usize,
    /// The kind of the source.
    pub srcMemoryType: CUmemorytype,
    /// The source, in host memory.
    pub srcHost: *const c_void,
    /// The source, in device memory.
    pub srcDevice: CUdeviceptr,
    /// The source, an array.
    pub srcArray: CUarray,
    /// Bytes from one row of the source to the next.
    pub srcPitch: usize,
    /// First byte of a row of the destination.
    pub dstXInBytes: usize,
    /// First row of the destination.
    pub dstY: usize,
    /// The kind of the destination.
    pub dstMemoryType: CUmemorytype,
    /// The destination, in host memory.
    pub dstHost: *mut c_void,
    /// The destination, in device memory.
    pub dstDevice: CUdeviceptr,
    /// The destination, an array.
    pub dstArray: CUarray,
    /// Bytes from one row of the destination to the next.
    pub dstPitch: usize,
    /// Bytes of a row.
    pub WidthInBytes: usize,
    /// Rows.
    pub Height: usize,
}

/// A copy of rows.
pub type CUDA_MEMCPY2D = CUDA_MEMCPY2D_v2;

/// A copy of planes of rows.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_MEMCPY3D_v2 {
    /// First byte of a row of the source.
    pub srcXInBytes: usize,
    /// First row of the source.
    pub srcY: usize,
    /// First plane of the source.
    pub srcZ: usize,
    /// Zero.
    pub srcLOD: usize,
    /// The kind of the source.
    pub srcMemoryType: CUmemorytype,
    /// The source, in host memory.
    pub srcHost: *const c_void,
    /// The source, in device memory.
    pub srcDevice: CUdeviceptr,
    /// The source, an array.
    pub srcArray: CUarray,
    /// Reserved; zero.
    pub reserved0: *mut c_void,
    /// Bytes from one row of the source to the next.
    pub srcPitch: usize,
    /// Rows from one plane of the source to the next.
    pub srcHeight: usize,
    /// First byte of a row of the destination.
    pub dstXInBytes: usize,
    /// First row of the destination.
    pub dstY: usize,
    /// First plane of the destination.
    pub dstZ: usize,
    /// Zero.
    pub dstLOD: usize,
    /// The kind of the destination.
    pub dstMemoryType: CUmemorytype,
    /// The destination, in host memory.
    pub dstHost: *mut c_void,
    /// The destination, in device memory.
    pub dstDevice: CUdeviceptr,
    /// The destination, an array.
    pub dstArray: CUarray,
    /// Reserved; zero.
    pub reserved1: *mut c_void,
    /// Bytes from one row of the destination to the next.
    pub dstPitch: usize,
    /// Rows from one plane of the destination to the next.
    pub dstHeight: usize,
    /// Bytes of a row.
    pub WidthInBytes: usize,
    /// Rows.
    pub Height: usize,
    /// Planes.
    pub Depth: usize,
}

/// A copy of planes of rows.
pub type CUDA_MEMCPY3D = CUDA_MEMCPY3D_v2;

/// A copy of planes of rows between contexts.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_MEMCPY3D_PEER_v1 {
    /// First byte of a row of the source.
    pub srcXInBytes: usize,
    /// First row of the source.
    pub srcY: usize,
    /// First plane of the source.
    pub srcZ: usize,
    /// Zero.
    pub srcLOD: usize,
    /// The kind of the source.
    pub srcMemoryType: CUmemorytype,
    /// The source, in host memory.
    pub srcHost: *const c_void,
    /// The source, in device memory.
    pub srcDevice: CUdeviceptr,
    /// The source, an array.
    pub srcArray: CUarray,
    /// The context of the source.
    pub srcContext: CUcontext,
    /// Bytes from one row of the source to the next.
    pub srcPitch: usize,
    /// Rows from one plane of the source to the next.
    pub srcHeight: usize,
    /// First byte of a row of the destination.
    pub dstXInBytes: usize,
    /// First row of the destination.
    pub dstY: usize,
    /// First plane of the destination.
    pub dstZ: usize,
    /// Zero.
    pub dstLOD: usize,
    /// The kind of the destination.
    pub dstMemoryType: CUmemorytype,
    /// The destination, in host memory.
    pub dstHost: *mut c_void,
    /// The destination, in device memory.
    pub dstDevice: CUdeviceptr,
    /// The destination, an array.
    pub dstArray: CUarray,
    /// The context of the destination.
    pub dstContext: CUcontext,
    /// Bytes from one row of the destination to the next.
    pub dstPitch: usize,
    /// Rows from one plane of the destination to the next.
    pub dstHeight: usize,
    /// Bytes of a row.
    pub WidthInBytes: usize,
    /// Rows.
    pub Height: usize,
    /// Planes.
    pub Depth: usize,
}

/// A copy of planes of rows between contexts.
pub type CUDA_MEMCPY3D_PEER = CUDA_MEMCPY3D_PEER_v1;

/// The extents and elements of an array in one or two dimensions.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_ARRAY_DESCRIPTOR_v2 {
    /// Elements of a row.
    pub Width: usize,
    /// Rows.
    pub Height: usize,
    /// The format of a channel.
    pub Format: CUarray_format,
    /// Channels of an element: 1, 2 or 4.
    pub NumChannels: c_uint,
}

/// The extents and elements of an array in one or two dimensions.
pub type CUDA_ARRAY_DESCRIPTOR = CUDA_ARRAY_DESCRIPTOR_v2;

/// The extents and elements of an array in up to three dimensions.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_ARRAY3D_DESCRIPTOR_v2 {
    /// Elements of a row.
    pub Width: usize,
    /// Rows.
    pub Height: usize,
    /// Planes.
    pub Depth: usize,
    /// The format of a channel.
    pub Format: CUarray_format,
    /// Channels of an element: 1, 2 or 4.
    pub NumChannels: c_uint,
    /// Flags: `CUDA_ARRAY3D_…`.
    pub Flags: c_uint,
}

/// The extents and elements of an array in up to three dimensions.
pub type CUDA_ARRAY3D_DESCRIPTOR = CUDA_ARRAY3D_DESCRIPTOR_v2;

/// How a sparse array is made up of tiles.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_ARRAY_SPARSE_PROPERTIES_v1 {
    /// Extents of a tile, in elements.
    pub tileExtent: CUDA_ARRAY_SPARSE_PROPERTIES_v1_tileExtent,
    /// The first mip level of the tail.
    pub miptailFirstLevel: c_uint,
    /// Bytes of the tail.
    pub miptailSize: c_ulonglong,
    /// Flags; zero for none.
    pub flags: c_uint,
    /// Reserved; zero.
    pub reserved: [c_uint; 4],
}

/// The field `tileExtent` of [`CUDA_ARRAY_SPARSE_PROPERTIES_v1`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_ARRAY_SPARSE_PROPERTIES_v1_tileExtent {
    /// The width.
    pub width: c_uint,
    /// The height.
    pub height: c_uint,
    /// The depth.
    pub depth: c_uint,
}

/// How a sparse array is made up of tiles.
pub type CUDA_ARRAY_SPARSE_PROPERTIES = CUDA_ARRAY_SPARSE_PROPERTIES_v1;

/// The memory that an array needs.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_ARRAY_MEMORY_REQUIREMENTS_v1 {
    /// Bytes.
    pub size: usize,
    /// Alignment in bytes.
    pub alignment: usize,
    /// Reserved; zero.
    pub reserved: [c_uint; 4],
}

/// The memory that an array needs.
pub type CUDA_ARRAY_MEMORY_REQUIREMENTS = CUDA_ARRAY_MEMORY_REQUIREMENTS_v1;

/// The layers of a sparse array share one tail of small mip levels.
pub const CU_ARRAY_SPARSE_PROPERTIES_SINGLE_MIPTAIL: c_uint = 0x1;
/// The array has layers, and the depth says how many.
pub const CUDA_ARRAY3D_LAYERED: c_uint = 0x1;
/// The earlier name of [`CUDA_ARRAY3D_LAYERED`].
pub const CUDA_ARRAY3D_2DARRAY: c_uint = 0x1;
/// A surface may be bound to the array.
pub const CUDA_ARRAY3D_SURFACE_LDST: c_uint = 0x2;
/// The array has six square faces, or a multiple of six.
pub const CUDA_ARRAY3D_CUBEMAP: c_uint = 0x4;
/// A kernel may gather texels of the array.
pub const CUDA_ARRAY3D_TEXTURE_GATHER: c_uint = 0x8;
/// The array is a depth texture.
pub const CUDA_ARRAY3D_DEPTH_TEXTURE: c_uint = 0x10;
/// Graphics may use the array as a colour attachment.
pub const CUDA_ARRAY3D_COLOR_ATTACHMENT: c_uint = 0x20;
/// The array has addresses, and memory is mapped tile by tile.
pub const CUDA_ARRAY3D_SPARSE: c_uint = 0x40;
/// Memory is mapped to the array later.
pub const CUDA_ARRAY3D_DEFERRED_MAPPING: c_uint = 0x80;
/// The video hardware may use the array.
pub const CUDA_ARRAY3D_VIDEO_ENCODE_DECODE: c_uint = 0x100;
