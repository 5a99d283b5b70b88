//! Textures and surfaces, as kernels see them.

/// What a channel of a texel is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Channel {
    U8,
    U16,
    U32,
    S8,
    S16,
    S32,
    F16,
    F32,
}

impl Channel {
    /// Its bytes.
    pub(crate) const fn bytes(self) -> usize {
        match self {
            Self::U8 | Self::S8 => 1,
            Self::U16 | Self::S16 | Self::F16 => 2,
            Self::U32 | Self::S32 | Self::F32 => 4,
        }
    }

    /// Whether it is a number of 8 or 16 bits without a fraction.
    pub(crate) const fn is_small_integer(self) -> bool {
        matches!(self, Self::U8 | Self::U16 | Self::S8 | Self::S16)
    }

    /// Whether it is a number without a fraction.
    pub(crate) const fn is_integer(self) -> bool {
        !matches!(self, Self::F16 | Self::F32)
    }
}

/// Texels in memory.
#[derive(Clone, Debug)]
pub(crate) struct Image {
    /// The address of the first one.
    pub(crate) base: u64,
    pub(crate) channel: Channel,
    /// Channels of a texel: 1, 2 or 4.
    pub(crate) channels: usize,
    /// Texels by dimension, at least 1.
    pub(crate) size: [u32; 3],
    /// Layers, or faces; 1 without.
    pub(crate) layers: u32,
    /// Bytes from row to row.
    pub(crate) pitch: u64,
}

impl Image {
    /// The bytes of a texel.
    pub(crate) fn texel(&self) -> u64 {
        (self.channel.bytes() * self.channels) as u64
    }

    /// The address of a byte of a row.
    pub(crate) fn address(&self, x_bytes: u64, y: u64, z: u64, layer: u64) -> u64 {
        let [_, height, depth] = self.size.map(u64::from);
        self.base + ((layer * depth + z) * height + y) * self.pitch + x_bytes
    }
}

/// What a texture is beyond its edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edge {
    Wrap,
    Clamp,
    Mirror,
    Border,
}

/// A texture.
#[derive(Clone, Debug)]
pub(crate) struct Texture {
    /// By level of detail.
    pub(crate) levels: Vec<Image>,
    /// Linear memory: it has no edges, but nothing beyond its end.
    pub(crate) linear_memory: bool,
    pub(crate) edges: [Edge; 3],
    /// Whether texels are filtered, and levels.
    pub(crate) linear: bool,
    pub(crate) linear_levels: bool,
    /// Whether integers stay integers.
    pub(crate) integers: bool,
    /// Whether coordinates go from 0 to 1.
    pub(crate) normalized: bool,
    pub(crate) srgb: bool,
    pub(crate) bias: f32,
    /// The least and the greatest level.
    pub(crate) clamp: [f32; 2],
    pub(crate) border: [f32; 4],
}
