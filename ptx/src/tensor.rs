//! Tensor maps: what a tensor in memory is like, and the box or the pixels that are copied.

/// What a map begins with, so that other bytes are told from it.
const MAGIC: u64 = 0x6d61_7073_6f66_7401;
/// The words of a map.
pub const WORDS: usize = 16;

/// What is copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pieces {
    /// A box, with its elements in each dimension before steps.
    Box(Vec<u32>),
    /// Pixels: the corners of their area, the outermost dimension first, the channels and the pixels.
    Pixels {
        /// The corner of the area that is lower.
        lower: Vec<i16>,
        /// The other one.
        upper: Vec<i16>,
        /// Channels of a pixel that are copied.
        channels: u32,
        /// Pixels that are copied.
        pixels: u32,
    },
}

/// A map. Enumerations are as the driver's header numbers them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map {
    /// The address of the first element.
    pub address: u64,
    /// The type of the elements, a `CUtensorMapDataType`.
    pub kind: u32,
    /// A `CUtensorMapInterleave`.
    pub interleave: u32,
    /// A `CUtensorMapSwizzle`.
    pub swizzle: u32,
    /// A `CUtensorMapL2promotion`.
    pub promotion: u32,
    /// A `CUtensorMapFloatOOBfill`.
    pub fill: u32,
    /// Elements in each dimension, the innermost first.
    pub extents: Vec<u64>,
    /// Bytes from one element to the next in each dimension but the innermost.
    pub strides: Vec<u64>,
    /// How many elements further the next one to copy is.
    pub steps: Vec<u32>,
    /// What is copied.
    pub pieces: Pieces,
}

fn packed(numbers: &[i16]) -> u64 {
    numbers.iter().fold(0, |all, &number| all << 16 | u64::from(number.cast_unsigned()))
}

fn unpacked(word: u64, count: usize) -> Vec<i16> {
    (0..count).rev().map(|at| ((word >> (16 * at)) as u16).cast_signed()).collect()
}

/// Numbers of so many bits, the last in the lowest.
fn numbers(word: u64, bits: usize, count: usize) -> Vec<u32> {
    (0..count).rev().map(|at| (word >> (bits * at) & ((1 << bits) - 1)) as u32).collect()
}

impl Map {
    /// Its bytes, as words.
    pub fn encode(&self) -> [u64; WORDS] {
        let modes = [self.interleave, self.swizzle, self.promotion, self.fill];
        let modes = modes.iter().fold(0, |all, &mode| all << 4 | u64::from(mode));
        let pixels = matches!(self.pieces, Pieces::Pixels { .. });
        let rank = self.extents.len() as u64;
        let mut words = vec![MAGIC, self.address];
        words.push(u64::from(self.kind) | rank << 8 | u64::from(pixels) << 16 | modes << 32);
        words.extend(self.extents.iter().map(|extent| extent - 1));
        words.extend(&self.strides);
        words.push(self.steps.iter().fold(0, |all, &step| all << 4 | u64::from(step)));
        match &self.pieces {
            Pieces::Box(extents) => {
                words.push(extents.iter().fold(0, |all, &extent| all << 9 | u64::from(extent)));
            }
            Pieces::Pixels { lower, upper, channels, pixels } => {
                let sizes = u64::from(*channels) << 16 | u64::from(*pixels);
                words.extend([packed(lower), packed(upper), sizes]);
            }
        }
        let mut all = [0; WORDS];
        all.iter_mut().zip(words).for_each(|(place, word)| *place = word);
        all
    }

    /// The map of some words, if it is one.
    pub fn decode(words: &[u64; WORDS]) -> Option<Self> {
        let [MAGIC, address, head, rest @ ..] = words else { return None };
        let rank = (head >> 8 & 0xff) as usize;
        if !(1..=5).contains(&rank) {
            return None;
        }
        let mode = |shift: u32| (head >> (32 + shift) & 0xf) as u32;
        let (extents, rest) = rest.split_at(rank);
        let (strides, rest) = rest.split_at(rank - 1);
        let (&steps, rest) = rest.split_first()?;
        let pieces = if head >> 16 & 0xff == 0 {
            Pieces::Box(numbers(*rest.first()?, 9, rank))
        } else {
            let count = rank.checked_sub(2)?;
            let [lower, upper, sizes, ..] = rest else { return None };
            Pieces::Pixels {
                lower: unpacked(*lower, count),
                upper: unpacked(*upper, count),
                channels: (sizes >> 16) as u32,
                pixels: (sizes & 0xffff) as u32,
            }
        };
        Some(Self {
            address: *address,
            kind: (head & 0xff) as u32,
            interleave: mode(12),
            swizzle: mode(8),
            promotion: mode(4),
            fill: mode(0),
            extents: extents.iter().map(|extent| extent + 1).collect(),
            strides: strides.to_vec(),
            steps: numbers(steps, 4, rank),
            pieces,
        })
    }

    /// Bytes of an element; none if elements are packed.
    pub const fn element(&self) -> Option<usize> {
        match self.kind {
            0 => Some(1),
            1 | 6 | 9 => Some(2),
            2 | 3 | 7 | 10 | 11 | 12 => Some(4),
            4 | 5 | 8 => Some(8),
            _ => None,
        }
    }
}
