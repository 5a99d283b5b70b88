//! Tensor maps: what a tensor in memory is like, and the box or the pixels that are copied.

/// The first bytes of a map, by which other bytes are told from it.
const MAGIC: u64 = 0x6d61_7073_6f66_7401;
/// The words of a map.
pub const WORDS: usize = 16;

/// The pieces that are copied.
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
    /// The pieces that are copied.
    pub pieces: Pieces,
}

/// A field of a map that kernels replace. Those of a dimension have its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// The address.
    Address,
    /// The dimensions: one less.
    Rank,
    /// The type of the elements, numbered as [`Map::kind`] is.
    Kind,
    /// The interleaving.
    Interleave,
    /// The swizzle.
    Swizzle,
    /// The fill.
    Fill,
    /// The elements of the tensor.
    Extent(usize),
    /// The bytes from one element to the next, of the dimension after.
    Stride(usize),
    /// The elements of the box.
    Box(usize),
    /// The step.
    Step(usize),
}

/// The dimensions that a map has room for.
const MOST: usize = 5;
/// Where a map's extents are, its strides, its steps and its pieces.
const EXTENTS: usize = 3;
const STRIDES: usize = EXTENTS + MOST;
const STEPS: usize = STRIDES + MOST - 1;
const PIECES: usize = STEPS + 1;

/// Numbers in so many bits each, the first in the lowest.
fn packed(numbers: impl DoubleEndedIterator<Item = u64>, bits: u32) -> u64 {
    numbers.rev().fold(0, |all, number| all << bits | number & !(u64::MAX << bits))
}

fn unpacked(word: u64, bits: u32, count: usize) -> impl Iterator<Item = u64> {
    (0..count as u32).map(move |at| word >> (bits * at) & !(u64::MAX << bits))
}

/// Replaces some bits of a word.
const fn put(word: &mut u64, shift: u32, bits: u32, value: u64) {
    let mask = !(u64::MAX << bits) << shift;
    *word = *word & !mask | value << shift & mask;
}

impl Map {
    /// Its bytes, as words. Each field has its place, whatever the number of dimensions.
    pub fn encode(&self) -> [u64; WORDS] {
        let mut words = [0; WORDS];
        (words[0], words[1]) = (MAGIC, self.address);
        let pixels = matches!(self.pieces, Pieces::Pixels { .. });
        let modes = [self.fill, self.promotion, self.swizzle, self.interleave];
        words[2] = u64::from(self.kind & 0xff)
            | (self.extents.len() as u64).wrapping_sub(1) << 8 & 0xff00
            | u64::from(pixels) << 16
            | packed(modes.into_iter().map(u64::from), 4) << 32;
        let mut put = |start: usize, list: &mut dyn Iterator<Item = u64>| {
            words[start..].iter_mut().zip(list).for_each(|(word, value)| *word = value);
        };
        put(EXTENTS, &mut self.extents.iter().map(|extent| extent.wrapping_sub(1)));
        put(STRIDES, &mut self.strides.iter().copied());
        let less = |list: &[u32], bits| {
            packed(list.iter().map(|&number| u64::from(number).wrapping_sub(1)), bits)
        };
        words[STEPS] = less(&self.steps, 4);
        match &self.pieces {
            Pieces::Box(extents) => words[PIECES] = less(extents, 8),
            Pieces::Pixels { lower, upper, channels, pixels } => {
                let corner = |list: &[i16]| {
                    packed(list.iter().map(|&offset| offset.cast_unsigned().into()), 16)
                };
                words[PIECES] = corner(lower);
                words[PIECES + 1] = corner(upper);
                words[PIECES + 2] = u64::from(*channels) << 16 | u64::from(*pixels);
            }
        }
        words
    }

    /// The map of some words, if it is one.
    pub fn decode(words: &[u64; WORDS]) -> Option<Self> {
        let [MAGIC, address, head, ..] = *words else { return None };
        let rank = (head >> 8 & 0xff) as usize + 1;
        if rank > MOST {
            return None;
        }
        let mode = |at: u32| (head >> (32 + 4 * at) & 0xf) as u32;
        let more = |word: u64, bits| -> Vec<u32> {
            unpacked(word, bits, rank).map(|number| number as u32 + 1).collect()
        };
        let pieces = if head >> 16 & 0xff == 0 {
            Pieces::Box(more(words[PIECES], 8))
        } else {
            let count = rank.checked_sub(2)?;
            let corner = |word: u64| -> Vec<i16> {
                unpacked(word, 16, count).map(|offset| (offset as u16).cast_signed()).collect()
            };
            let sizes = words[PIECES + 2];
            Pieces::Pixels {
                lower: corner(words[PIECES]),
                upper: corner(words[PIECES + 1]),
                channels: (sizes >> 16) as u32,
                pixels: (sizes & 0xffff) as u32,
            }
        };
        Some(Self {
            address,
            kind: (head & 0xff) as u32,
            interleave: mode(3),
            swizzle: mode(2),
            promotion: mode(1),
            fill: mode(0),
            extents: words[EXTENTS..][..rank].iter().map(|extent| extent + 1).collect(),
            strides: words[STRIDES..][..rank - 1].to_vec(),
            steps: more(words[STEPS], 4),
            pieces,
        })
    }

    /// Replaces a field of the words of a map; whether they are of one that has the field, or zeros, which are
    /// made one.
    pub fn replace(words: &mut [u64; WORDS], field: Field, value: u64) -> bool {
        if *words != [0; WORDS] && words[0] != MAGIC {
            return false;
        }
        // Maps of pixels have no box.
        if words[2] >> 16 & 0xff != 0 && matches!(field, Field::Box(_)) {
            return false;
        }
        words[0] = MAGIC;
        let less = value.wrapping_sub(1);
        match field {
            Field::Address => words[1] = value,
            Field::Rank => put(&mut words[2], 8, 8, value),
            Field::Kind => put(&mut words[2], 0, 8, value),
            Field::Interleave => put(&mut words[2], 44, 4, value),
            Field::Swizzle => put(&mut words[2], 40, 4, value),
            Field::Fill => put(&mut words[2], 32, 4, value),
            Field::Extent(at) => words[EXTENTS + at % MOST] = less & u64::from(u32::MAX),
            Field::Stride(at) if at < MOST - 1 => words[STRIDES + at] = value & 0xff_ffff_fff0,
            // There is no dimension after the last one.
            Field::Stride(_) => {}
            Field::Box(at) => put(&mut words[PIECES], 8 * (at % MOST) as u32, 8, less),
            Field::Step(at) => put(&mut words[STEPS], 4 * (at % MOST) as u32, 4, less & 7),
        }
        true
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
