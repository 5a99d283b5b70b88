//! Which shapes arrays have (the manual of `cuArray3DCreate`).

use crate::entry::Answer;
use cuscope_sys::*;

pub(crate) const INVALID: CUresult = CUDA_ERROR_INVALID_VALUE;

/// The dimensions of an array.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    D1,
    D2,
    D3,
    Layered1,
    Layered2,
    Cube,
    LayeredCube,
}

impl Shape {
    /// What a texture of three dimensions may have instead of what [`Self::most`] says: less width and height, and more
    /// depth (F360).
    pub(crate) const DEEP: [Option<CUdevice_attribute>; 3] = [
        Some(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE),
        Some(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE),
        Some(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE),
    ];

    /// The shape of a descriptor; INVALID_VALUE if its extents and flags are none.
    pub(crate) fn of(descriptor: &CUDA_ARRAY3D_DESCRIPTOR) -> Answer<Self> {
        let CUDA_ARRAY3D_DESCRIPTOR { Width: w, Height: h, Depth: d, Flags: flags, .. } =
            *descriptor;
        let (layered, cube) =
            (flags & CUDA_ARRAY3D_LAYERED != 0, flags & CUDA_ARRAY3D_CUBEMAP != 0);
        let shape = match (layered, cube, h, d) {
            _ if w == 0 => return Err(INVALID),
            (true, true, h, d) if h == w && d > 0 && d.is_multiple_of(6) => Self::LayeredCube,
            (false, true, h, 6) if h == w => Self::Cube,
            (_, true, ..) => return Err(INVALID),
            (true, _, 0, 1..) => Self::Layered1,
            (true, _, 1.., 1..) => Self::Layered2,
            (false, _, 0, 0) => Self::D1,
            (false, _, 1.., 0) => Self::D2,
            (false, _, 1.., 1..) => Self::D3,
            _ => return Err(INVALID),
        };
        if flags & CUDA_ARRAY3D_TEXTURE_GATHER != 0 && shape != Self::D2 {
            return Err(INVALID);
        }
        Ok(shape)
    }

    /// The attributes that say how large it may be: without a flag, for surfaces, or with levels. There may be other ones
    /// for the [deep](Self::DEEP).
    pub(crate) fn most(self, flags: u32, levels: bool) -> [Option<CUdevice_attribute>; 3] {
        let surface = flags & CUDA_ARRAY3D_SURFACE_LDST != 0;
        let gather = flags & CUDA_ARRAY3D_TEXTURE_GATHER != 0;
        match (self, surface) {
            (Self::D1, true) => [Some(CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_WIDTH), None, None],
            (Self::D1, _) if levels => {
                [Some(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH), None, None]
            }
            (Self::D1, _) => [Some(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH), None, None],
            (Self::D2, true) => [
                Some(CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH),
                Some(CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_HEIGHT),
                None,
            ],
            (Self::D2, _) if levels => [
                Some(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH),
                Some(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT),
                None,
            ],
            (Self::D2, _) if gather => [
                Some(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_WIDTH),
                Some(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_HEIGHT),
                None,
            ],
            (Self::D2, _) => [
                Some(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH),
                Some(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT),
                None,
            ],
            (Self::D3, true) => [
                Some(CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_WIDTH),
                Some(CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_HEIGHT),
                Some(CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_DEPTH),
            ],
            (Self::D3, _) => [
                Some(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH),
                Some(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT),
                Some(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH),
            ],
            (Self::Layered1, true) => [
                Some(CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_WIDTH),
                None,
                Some(CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_LAYERS),
            ],
            (Self::Layered1, _) => [
                Some(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH),
                None,
                Some(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_LAYERS),
            ],
            (Self::Layered2, true) => [
                Some(CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_WIDTH),
                Some(CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_HEIGHT),
                Some(CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_LAYERS),
            ],
            (Self::Layered2, _) => [
                Some(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH),
                Some(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT),
                Some(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS),
            ],
            (Self::Cube, true) => {
                [Some(CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_WIDTH), None, None]
            }
            (Self::Cube, _) => [Some(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_WIDTH), None, None],
            (Self::LayeredCube, true) => [
                Some(CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH),
                None,
                Some(CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS),
            ],
            (Self::LayeredCube, _) => [
                Some(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH),
                None,
                Some(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS),
            ],
        }
    }
}
