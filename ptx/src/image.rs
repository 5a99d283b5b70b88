//! Textures and surfaces, as kernels see them.

/// The type of a channel of a texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// A number of 8 bits without a sign.
    U8,
    /// A number of 16 bits without a sign.
    U16,
    /// A number of 32 bits without a sign.
    U32,
    /// A number of 8 bits with a sign.
    S8,
    /// A number of 16 bits with a sign.
    S16,
    /// A number of 32 bits with a sign.
    S32,
    /// A number of half precision.
    F16,
    /// A number of single precision.
    F32,
}

impl Channel {
    /// Its bytes.
    pub const fn bytes(self) -> usize {
        match self {
            Self::U8 | Self::S8 => 1,
            Self::U16 | Self::S16 | Self::F16 => 2,
            Self::U32 | Self::S32 | Self::F32 => 4,
        }
    }

    /// Whether it is a number of 8 or 16 bits without a fraction.
    pub const fn is_small_integer(self) -> bool {
        matches!(self, Self::U8 | Self::U16 | Self::S8 | Self::S16)
    }

    /// Whether it is a number without a fraction.
    pub const fn is_integer(self) -> bool {
        !matches!(self, Self::F16 | Self::F32)
    }
}

/// Texels in memory.
#[derive(Clone, Debug)]
pub struct Image {
    /// The address of the first one.
    pub base: u64,
    /// The type of each channel.
    pub channel: Channel,
    /// Channels of a texel: 1, 2 or 4.
    pub channels: usize,
    /// Texels by dimension, at least 1.
    pub size: [u32; 3],
    /// Layers, or faces; 1 without.
    pub layers: u32,
    /// Bytes from row to row.
    pub pitch: u64,
}

impl Image {
    /// The bytes of a texel.
    pub fn texel(&self) -> u64 {
        (self.channel.bytes() * self.channels) as u64
    }

    /// The address of a byte of a row.
    pub fn address(&self, x_bytes: u64, y: u64, z: u64, layer: u64) -> u64 {
        let [_, height, depth] = self.size.map(u64::from);
        self.base + ((layer * depth + z) * height + y) * self.pitch + x_bytes
    }
}

/// The value of a texture beyond its edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// It begins again.
    Wrap,
    /// The texels at the edge go on.
    Clamp,
    /// It is reflected.
    Mirror,
    /// The color of the border.
    Border,
}

/// A texture.
#[derive(Clone, Debug)]
pub struct Texture {
    /// By level of detail.
    pub levels: Vec<Image>,
    /// Linear memory: it has no edges, but nothing beyond its end.
    pub linear_memory: bool,
    /// The values beyond its edges, by dimension.
    pub edges: [Edge; 3],
    /// Whether texels are filtered.
    pub linear: bool,
    /// Whether what two levels have is mixed.
    pub linear_levels: bool,
    /// Whether integers stay integers.
    pub integers: bool,
    /// Whether coordinates go from 0 to 1.
    pub normalized: bool,
    /// Whether colors are sRGB, and become linear.
    pub srgb: bool,
    /// The number that is added to the level of detail.
    pub bias: f32,
    /// The least and the greatest level.
    pub clamp: [f32; 2],
    /// The color of the border.
    pub border: [f32; 4],
}
