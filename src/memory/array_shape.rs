//! The shapes of arrays, the uses that they are created for, and their description for the driver.
#![allow(non_snake_case, reason = "fields of cuda.h")]

use super::buffer::too_large;
use super::grid::Extent;
use super::texel::Texel;
use crate::error::{Error, Result};
use ffi::CUDA_ARRAY3D_DESCRIPTOR;

/// The dimensions of an [`Array`](crate::texture::Array).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ArrayShape {
    /// One row of elements.
    D1 {
        /// The number of elements.
        width: usize,
    },
    /// Rows.
    D2 {
        /// The number of elements in a row.
        width: usize,
        /// The number of rows.
        height: usize,
    },
    /// Planes of rows.
    D3 {
        /// The number of elements in a row.
        width: usize,
        /// The number of rows in a plane.
        height: usize,
        /// The number of planes.
        depth: usize,
    },
    /// Layers of one row each. Nothing is filtered between layers.
    Layered1 {
        /// The number of elements in a row.
        width: usize,
        /// The number of layers.
        layers: usize,
    },
    /// Layers of rows.
    Layered2 {
        /// The number of elements in a row.
        width: usize,
        /// The number of rows in a layer.
        height: usize,
        /// The number of layers.
        layers: usize,
    },
    /// The six square faces of a cube: towards x, away from x, and so for y and z.
    Cubemap {
        /// The number of elements in a row of a face, and of rows.
        width: usize,
    },
    /// Cubes, each with six faces.
    LayeredCubemap {
        /// The number of elements in a row of a face, and of rows.
        width: usize,
        /// The number of cubes.
        cubes: usize,
    },
}

impl ArrayShape {
    /// Returns the extents as the driver takes them, in which 0 stands for a dimension that is not there, and the flags.
    #[inline]
    fn described(self) -> ([usize; 3], u32) {
        let (layered, cube) = (ffi::CUDA_ARRAY3D_LAYERED, ffi::CUDA_ARRAY3D_CUBEMAP);
        match self {
            Self::D1 { width } => ([width, 0, 0], 0),
            Self::D2 { width, height } => ([width, height, 0], 0),
            Self::D3 { width, height, depth } => ([width, height, depth], 0),
            Self::Layered1 { width, layers } => ([width, 0, layers], layered),
            Self::Layered2 { width, height, layers } => ([width, height, layers], layered),
            Self::Cubemap { width } => ([width, width, 6], cube),
            Self::LayeredCubemap { width, cubes } => {
                ([width, width, cubes.saturating_mul(6)], layered | cube)
            }
        }
    }

    /// Returns the size in elements of a row, rows and planes. Layers and faces are planes.
    #[must_use]
    #[inline]
    pub fn extent(self) -> Extent {
        let ([width, height, depth], _) = self.described();
        match self {
            Self::D1 { .. } => Extent { width, height: 1, depth: 1 },
            Self::D2 { .. } => Extent { width, height, depth: 1 },
            Self::Layered1 { .. } => Extent { width, height: 1, depth },
            _ => Extent { width, height, depth },
        }
    }

    /// Returns the shape of a level of detail.
    #[inline]
    pub(super) fn level(self, level: u32) -> Self {
        let half = |size: usize| size.checked_shr(level).unwrap_or(0).max(1);
        match self {
            Self::D1 { width } => Self::D1 { width: half(width) },
            Self::D2 { width, height } => Self::D2 { width: half(width), height: half(height) },
            Self::D3 { width, height, depth } => {
                Self::D3 { width: half(width), height: half(height), depth: half(depth) }
            }
            Self::Layered1 { width, layers } => Self::Layered1 { width: half(width), layers },
            Self::Layered2 { width, height, layers } => {
                Self::Layered2 { width: half(width), height: half(height), layers }
            }
            Self::Cubemap { width } => Self::Cubemap { width: half(width) },
            Self::LayeredCubemap { width, cubes } => {
                Self::LayeredCubemap { width: half(width), cubes }
            }
        }
    }

    /// Returns the greatest number of levels: until each halved extent is 1.
    #[inline]
    fn most_levels(self) -> u32 {
        let Extent { width, height, depth } = self.extent();
        let depth = if matches!(self, Self::D3 { .. }) { depth } else { 1 };
        width.max(height).max(depth).max(1).ilog2() + 1
    }
}

ffi::flags! {
    /// Uses of an [`Array`](crate::texture::Array) besides textures.
    #[derive(Default)]
    pub struct ArrayFlags: u32 {
        /// A [`Surface`](crate::texture::Surface) of the array may be created.
        const SURFACE = ffi::CUDA_ARRAY3D_SURFACE_LDST;
        /// A texture of the array may gather texels (`tex2Dgather`). For arrays of two dimensions.
        const GATHER = ffi::CUDA_ARRAY3D_TEXTURE_GATHER;
    }
}

/// Returns the description of an array.
pub(crate) fn described<T: Texel>(shape: ArrayShape, flags: ArrayFlags) -> CUDA_ARRAY3D_DESCRIPTOR {
    let ([Width, Height, Depth], of_shape) = shape.described();
    let (Format, NumChannels) = (T::FORMAT, T::CHANNELS);
    let Flags = of_shape | flags.bits();
    CUDA_ARRAY3D_DESCRIPTOR { Width, Height, Depth, Format, NumChannels, Flags }
}

/// Checks that a shape has elements. In the driver's extents 0 means another shape.
#[inline]
pub(super) fn has_elements(call: &'static str, shape: ArrayShape) -> Result {
    let Extent { width, height, depth } = shape.extent();
    let len = width.checked_mul(height).and_then(|len| len.checked_mul(depth));
    match len {
        Some(1..) => Ok(()),
        Some(0) => {
            let reason = format!(
                "an array has at least one element: pass extents of at least 1, and not {width} x {height} x {depth}"
            );
            Err(Error::InvalidArgument { call, reason: reason.into() })
        }
        None => Err(too_large(call)),
    }
}

/// Returns the size of the elements of a shape that [has some](has_elements).
pub(super) fn bytes_of<T: Texel>(shape: ArrayShape) -> usize {
    let Extent { width, height, depth } = shape.extent();
    (width * height * depth).saturating_mul(size_of::<T>())
}

/// Checks the shape and the number of levels of a mipmapped array.
#[inline]
pub(crate) fn has_levels(call: &'static str, shape: ArrayShape, levels: u32) -> Result {
    has_elements(call, shape)?;
    if !(1..=shape.most_levels()).contains(&levels) {
        let reason = format!(
            "{levels} levels were requested, and there are {} until each extent is 1: pass a number of levels from 1 to \
             that",
            shape.most_levels()
        );
        return Err(Error::InvalidArgument { call, reason: reason.into() });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_tells_what_its_planes_are() {
        let (layered, cube) = (ffi::CUDA_ARRAY3D_LAYERED, ffi::CUDA_ARRAY3D_CUBEMAP);
        let flags = |shape: ArrayShape| shape.described().1;
        assert_eq!(flags(ArrayShape::D3 { width: 1, height: 2, depth: 3 }), 0);
        assert_eq!(flags(ArrayShape::Layered1 { width: 1, layers: 2 }), layered);
        assert_eq!(flags(ArrayShape::Cubemap { width: 1 }), cube);
        let cubes = flags(ArrayShape::LayeredCubemap { width: 1, cubes: 2 });
        assert_eq!((cubes & layered, cubes & cube, cubes & !layered & !cube), (layered, cube, 0));
    }
}
