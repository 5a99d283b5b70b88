//! How a texture is read.

use ffi::{CUDA_TEXTURE_DESC, CUaddress_mode, CUfilter_mode};

/// The texels of a [`Texture`](crate::texture::Texture) beyond its edges, in one dimension.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Edge {
    /// The nearest texel.
    #[default]
    Clamp,
    /// The texels of the other side. Only with [normalized](Sampling::normalized) coordinates: the driver clamps others.
    Wrap,
    /// The mirror image. Only with [normalized](Sampling::normalized) coordinates: the driver clamps others.
    Mirror,
    /// The [border](Sampling::border).
    Border,
}

impl Edge {
    #[inline]
    fn raw(self) -> CUaddress_mode {
        match self {
            Edge::Clamp => ffi::CU_TR_ADDRESS_MODE_CLAMP,
            Edge::Wrap => ffi::CU_TR_ADDRESS_MODE_WRAP,
            Edge::Mirror => ffi::CU_TR_ADDRESS_MODE_MIRROR,
            Edge::Border => ffi::CU_TR_ADDRESS_MODE_BORDER,
        }
    }
}

/// How a [`Texture`](crate::texture::Texture) is read. The default reads the nearest texel by coordinates in texels, clamps
/// at the edges, and reads integers of 8 and 16 bits as numbers from 0 to 1, or from -1 to 1 if they are signed.
///
/// The middle of the first texel is at 0.5. A linear filter has weights in steps of 1/256.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[must_use]
pub struct Sampling {
    edges: [Edge; 3],
    linear: bool,
    linear_levels: bool,
    normalized: bool,
    integers: bool,
    srgb: bool,
    bias: f32,
    levels: [f32; 2],
    border: [f32; 4],
}

impl Sampling {
    /// Weights the texels around a place, rather than take the nearest one. For texels that are read as floating-point
    /// numbers.
    pub fn linear(self) -> Self {
        Sampling { linear: true, ..self }
    }

    /// Weights the two levels of a [`MipmappedArray`](crate::texture::MipmappedArray) around a level of detail.
    pub fn linear_levels(self) -> Self {
        Sampling { linear_levels: true, ..self }
    }

    /// Takes coordinates from 0 to 1, rather than in texels.
    pub fn normalized(self) -> Self {
        Sampling { normalized: true, ..self }
    }

    /// Reads integers of 8 and 16 bits as integers. Those of 32 bits always are.
    pub fn integers(self) -> Self {
        Sampling { integers: true, ..self }
    }

    /// Converts texels of 8-bit channels from sRGB to linear values.
    pub fn srgb(self) -> Self {
        Sampling { srgb: true, ..self }
    }

    /// Sets what lies beyond the edges, in all dimensions.
    #[inline]
    pub fn edges(self, edge: Edge) -> Self {
        self.edges_by_dimension([edge; 3])
    }

    /// Sets what lies beyond the edges, by dimension.
    pub fn edges_by_dimension(self, edges: [Edge; 3]) -> Self {
        Sampling { edges, ..self }
    }

    /// Sets the texel beyond an [edge](Edge::Border).
    pub fn border(self, border: [f32; 4]) -> Self {
        Sampling { border, ..self }
    }

    /// Sets the least and the greatest level of detail that are read, and what is added to a level that a kernel asks for.
    /// At first only the level 0 is read.
    pub fn levels(self, least: f32, greatest: f32, bias: f32) -> Self {
        Sampling { levels: [least, greatest], bias, ..self }
    }

    /// Returns it as the driver takes it.
    #[inline]
    pub(super) fn described(&self) -> CUDA_TEXTURE_DESC {
        let filter = |linear| -> CUfilter_mode {
            if linear { ffi::CU_TR_FILTER_MODE_LINEAR } else { ffi::CU_TR_FILTER_MODE_POINT }
        };
        let flag = |set: bool, flag: u32| if set { flag } else { 0 };
        CUDA_TEXTURE_DESC {
            addressMode: self.edges.map(Edge::raw),
            filterMode: filter(self.linear),
            flags: flag(self.integers, ffi::CU_TRSF_READ_AS_INTEGER)
                | flag(self.normalized, ffi::CU_TRSF_NORMALIZED_COORDINATES)
                | flag(self.srgb, ffi::CU_TRSF_SRGB),
            maxAnisotropy: 0,
            mipmapFilterMode: filter(self.linear_levels),
            mipmapLevelBias: self.bias,
            minMipmapLevelClamp: self.levels[0],
            maxMipmapLevelClamp: self.levels[1],
            borderColor: self.border,
            reserved: [0; 12],
        }
    }

    /// Returns whether it weights values, which integers are not.
    pub(super) fn filters(&self) -> bool {
        self.linear || self.linear_levels
    }

    /// Returns whether integers of 8 and 16 bits stay such.
    pub(super) fn keeps_integers(&self) -> bool {
        self.integers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_edge_has_the_number_of_the_driver() {
        let edges = [Edge::Wrap, Edge::Clamp, Edge::Mirror, Edge::Border];
        assert_eq!(edges.map(|edge| edge.raw().0), [0, 1, 2, 3]);
    }

    #[test]
    fn each_setting_changes_its_part_of_the_description_alone() {
        let parts = |sampling: Sampling| {
            let one = sampling.described();
            let levels = [one.mipmapLevelBias, one.minMipmapLevelClamp, one.maxMipmapLevelClamp];
            (one.filterMode.0, one.mipmapFilterMode.0, one.flags, levels)
        };
        let sampling = Sampling::default();
        for (sampling, described) in [
            (sampling, (0, 0, 0, [0.0; 3])),
            (sampling.linear(), (1, 0, 0, [0.0; 3])),
            (sampling.linear_levels(), (0, 1, 0, [0.0; 3])),
            (sampling.integers(), (0, 0, 1, [0.0; 3])),
            (sampling.normalized(), (0, 0, 2, [0.0; 3])),
            (sampling.srgb(), (0, 0, 0x10, [0.0; 3])),
            (sampling.levels(1.0, 2.0, 0.5), (0, 0, 0, [0.5, 1.0, 2.0])),
            (sampling.linear().linear_levels().srgb().integers(), (1, 1, 0x11, [0.0; 3])),
        ] {
            assert_eq!(parts(sampling), described, "{sampling:?}");
        }
    }
}
