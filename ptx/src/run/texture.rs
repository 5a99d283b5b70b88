//! `tex`, `tld4` and `txq`.

use super::super::code::{Detail, FetchOp, Fetched, Geometry, Query, Slot, Src};
use super::super::image::{Channel, Edge, Image, Texture};
use super::super::ops::Row;
use super::super::ops::lanes::lanes;
use super::super::ops::{bits_f16, value_f16};
use super::block::Shared;
use super::warp::{Group, Warp};
use super::{Fault, Memory};

/// The four channels of a texel. Integers that stay such are their bits.
#[derive(Clone, Copy)]
enum Texel {
    Real([f64; 4]),
    Bits([u32; 4]),
}

/// The fetch of one lane.
struct Fetch<'a> {
    memory: &'a dyn Memory,
    texture: &'a Texture,
    layer: u32,
}

/// The steps of a weight: the hardware has 8 bits of a fraction.
const STEPS: u32 = 256;

/// A weight in steps, to the nearest one.
fn weight(fraction: f64) -> u32 {
    (fraction * f64::from(STEPS)).round() as u32
}

/// The shares of the corners around a place, in steps, from the weights of the second texel in each dimension. They add up
/// to one, and are rounded as an H200 rounds them (F376).
fn shares([x, y, z]: [u32; 3]) -> [u32; 8] {
    let half_up = |share: u32, weight: u32| (share * weight + STEPS / 2) / STEPS;
    let half_down = |share: u32, weight: u32| (share * weight + STEPS / 2 - 1) / STEPS;
    let both = half_up(x, z);
    let by_x_and_z = [STEPS + both - x - z, x - both, z - both, both];
    let mut shares = [0; 8];
    for (i, share) in by_x_and_z.into_iter().enumerate() {
        let corner = (i & 1) + 4 * (i >> 1);
        let second = if i & 1 == 0 { half_down(share, y) } else { half_up(share, y) };
        shares[corner] = share - second;
        shares[corner + 2] = second;
    }
    shares
}

/// Returns the number that the filter adds up for a channel, in its own units: integers of 16 bits for numbers from 0 to 1
/// and from -1 to 1, integers as they are, and floats without subnormal ones (F369, F376).
fn unfiltered(channel: Channel, integers: bool, bits: u32, value: f64) -> f64 {
    match channel {
        Channel::U8 | Channel::U16 | Channel::U32 if integers => f64::from(bits),
        _ if integers => f64::from(bits as i32),
        Channel::U8 | Channel::U16 => (value * f64::from(u16::MAX)).round(),
        Channel::S8 | Channel::S16 => value * f64::from(i16::MAX),
        Channel::F32 if (value as f32).is_subnormal() => 0.0_f64.copysign(value),
        _ => value,
    }
}

/// The texel of such sums.
fn filtered(kind: impl Fn(usize) -> Channel, integers: bool, sums: [f64; 4]) -> Texel {
    let nearest = |sum: f64| (sum + 0.5).floor();
    if integers {
        return Texel::Bits(std::array::from_fn(|i| match kind(i) {
            Channel::U32 | Channel::S32 => sums[i].floor() as i64 as u32,
            _ => nearest(sums[i]) as i64 as u32,
        }));
    }
    Texel::Real(std::array::from_fn(|i| match (kind(i), sums[i]) {
        (Channel::U8 | Channel::U16, sum) => nearest(sum) / f64::from(u16::MAX),
        (Channel::S8 | Channel::S16, sum) => (nearest(sum) / f64::from(i16::MAX)).max(-1.0),
        (Channel::F16, sum) if sum.is_nan() => f64::from(f32::from_bits(NAN_F16)),
        (Channel::F16, sum) => rounded_f16(sum),
        (_, sum) if sum.is_nan() => f64::from(f32::from_bits(NAN)),
        (_, sum) if (sum as f32).is_subnormal() => 0.0_f64.copysign(sum),
        (_, sum) => sum,
    }))
}

/// The filter's result for a number that is none (F376).
const NAN: u32 = 0x7fff_ffff;
/// The same of f16.
const NAN_F16: u32 = 0x7fff_e000;

/// The nearest number of f16: with 10 bits of a fraction, but at least in steps of 2^-24.
fn rounded_f16(number: f64) -> f64 {
    if number == 0.0 || number.is_infinite() {
        return number;
    }
    let step = (number.abs().log2().floor() - 10.0).max(-24.0).exp2();
    (number / step).round() * step
}

/// The whole part of a coordinate; of none, 0.
fn whole(at: f64) -> i64 {
    at.floor() as i64
}

/// The value of a channel's bits; the least one of 8 bits is less than -1.
fn value(channel: Channel, bits: u32) -> f64 {
    match channel {
        Channel::U8 => f64::from(bits as u8) / 255.0,
        Channel::U16 => f64::from(bits as u16) / 65535.0,
        Channel::S8 => f64::from(bits as u8 as i8) / 127.0,
        Channel::S16 => (f64::from(bits as u16 as i16) / 32767.0).max(-1.0),
        Channel::F16 => value_f16(u64::from(bits)),
        Channel::F32 => f64::from(f32::from_bits(bits)),
        Channel::U32 | Channel::S32 => 0.0,
    }
}

/// A channel's bits as a register holds them.
fn extended(channel: Channel, bits: u32) -> u32 {
    match channel {
        Channel::S8 => bits as u8 as i8 as i32 as u32,
        Channel::S16 => bits as u16 as i16 as i32 as u32,
        _ => bits,
    }
}

/// The linear values of an H200 for the 256 sRGB values, in 14 bits of a fraction (F378).
const SRGB: [u16; 256] = [
    0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 66, 72, 78, 85, 92, 99, 107, 115, 123, 131,
    140, 150, 159, 169, 180, 190, 201, 213, 224, 236, 250, 262, 276, 290, 304, 318, 332, 348, 364,
    380, 396, 412, 430, 448, 466, 484, 504, 524, 544, 564, 584, 604, 624, 648, 672, 692, 716, 740,
    764, 788, 816, 840, 864, 896, 920, 944, 976, 1000, 1032, 1064, 1088, 1120, 1152, 1184, 1216,
    1248, 1280, 1312, 1352, 1384, 1416, 1456, 1488, 1528, 1560, 1600, 1640, 1672, 1712, 1752, 1792,
    1832, 1872, 1920, 1952, 2000, 2048, 2080, 2128, 2176, 2224, 2272, 2320, 2368, 2416, 2464, 2512,
    2560, 2608, 2656, 2704, 2752, 2816, 2864, 2912, 2976, 3024, 3072, 3136, 3184, 3248, 3296, 3360,
    3424, 3472, 3536, 3600, 3664, 3712, 3776, 3840, 3904, 3968, 4032, 4096, 4160, 4224, 4288, 4352,
    4416, 4512, 4576, 4640, 4704, 4768, 4864, 4928, 4992, 5056, 5152, 5216, 5280, 5376, 5440, 5536,
    5600, 5696, 5760, 5824, 5920, 6016, 6080, 6176, 6240, 6336, 6400, 6496, 6592, 6688, 6752, 6848,
    6944, 7008, 7104, 7200, 7296, 7392, 7488, 7584, 7680, 7744, 7872, 7936, 8064, 8128, 8256, 8320,
    8448, 8512, 8640, 8768, 8832, 8960, 9024, 9152, 9280, 9344, 9472, 9600, 9664, 9792, 9920, 9984,
    10112, 10240, 10304, 10432, 10560, 10688, 10816, 10880, 11008, 11136, 11264, 11392, 11456,
    11584, 11712, 11840, 11968, 12096, 12224, 12352, 12480, 12608, 12736, 12864, 12992, 13120,
    13248, 13376, 13504, 13632, 13760, 13888, 14016, 14144, 14272, 14400, 14528, 14656, 14848,
    14976, 15104, 15232, 15360, 15488, 15616, 15744, 16000, 16128, 16256, 16384,
];

impl Fetch<'_> {
    /// Whether what is fetched stays integers.
    fn integers(&self, image: &Image) -> bool {
        image.channel.is_integer() && (self.texture.integers || !image.channel.is_small_integer())
    }

    /// Whether a channel is sRGB.
    fn srgb(&self, image: &Image, channel: usize) -> bool {
        self.texture.srgb && image.channel == Channel::U8 && channel < 3 && !self.integers(image)
    }

    /// The coordinate of a texel in a dimension, or none beyond a border.
    fn inside(&self, dimension: usize, at: i64, size: u32) -> Option<u64> {
        let size = i64::from(size);
        let at = match self.texture.edges[dimension] {
            // Wrapping and mirroring are for coordinates from 0 to 1.
            Edge::Wrap if self.texture.normalized => at.rem_euclid(size),
            Edge::Mirror if self.texture.normalized => {
                let twice = at.rem_euclid(2 * size);
                if twice < size { twice } else { 2 * size - 1 - twice }
            }
            Edge::Border if !(0..size).contains(&at) => return None,
            _ => at.clamp(0, size - 1),
        };
        Some(at as u64)
    }

    /// One texel.
    fn texel(&self, image: &Image, at: [i64; 3]) -> Result<Texel, Fault> {
        let (bits, values) = self.channels(image, at)?;
        Ok(match self.integers(image) {
            true => Texel::Bits(bits),
            false if image.channel == Channel::S8 => Texel::Real(values.map(|one| one.max(-1.0))),
            false => Texel::Real(values),
        })
    }

    /// The channels of one texel, as bits and as values.
    fn channels(&self, image: &Image, at: [i64; 3]) -> Result<([u32; 4], [f64; 4]), Fault> {
        if self.texture.linear_memory {
            let within = (0..i64::from(image.size[0])).contains(&at[0]);
            return if within {
                self.load(image, [at[0] as u64, 0, 0])
            } else {
                Ok(([0; 4], [0.0; 4]))
            };
        }
        let mut place = [0; 3];
        for dimension in 0..3 {
            match self.inside(dimension, at[dimension], image.size[dimension]) {
                Some(at) => place[dimension] = at,
                None => {
                    let border = self.texture.border;
                    let bits = match self.integers(image) {
                        true => border.map(|channel| channel as i64 as u32),
                        false => border.map(f32::to_bits),
                    };
                    return Ok((bits, border.map(f64::from)));
                }
            }
        }
        self.load(image, place)
    }

    /// The channels of a texel; the missing ones are 0 (F370).
    fn load(&self, image: &Image, [x, y, z]: [u64; 3]) -> Result<([u32; 4], [f64; 4]), Fault> {
        let bytes = image.channel.bytes();
        let start = image.address(x * image.texel(), y, z, self.layer.into());
        let mut bits = [0; 4];
        let mut values = [0.0; 4];
        for channel in 0..image.channels {
            let mut out: Row = [0; 32];
            let address = start + (channel * bytes) as u64;
            self.memory.load(&[address; 32], 1, bytes, &mut out)?;
            bits[channel] = extended(image.channel, out[0] as u32);
            values[channel] = value(image.channel, out[0] as u32);
            if self.srgb(image, channel) {
                values[channel] = f64::from(SRGB[out[0] as u8 as usize]) / f64::from(1 << 14);
            }
        }
        Ok((bits, values))
    }

    /// A coordinate in texels.
    fn scaled(&self, at: f64, size: u32) -> f64 {
        let at = if at.is_nan() { 0.0 } else { at };
        if self.texture.normalized { at * f64::from(size) } else { at }
    }

    /// A level, filtered or not.
    fn level(
        &self,
        image: &Image,
        at: [f64; 3],
        dimensions: usize,
        offset: [i64; 3],
    ) -> Result<Texel, Fault> {
        let mut scaled = [0.0; 3];
        for dimension in 0..dimensions {
            scaled[dimension] = self.scaled(at[dimension], image.size[dimension]);
        }
        if !self.texture.linear || self.texture.linear_memory {
            let mut texel = [0; 3];
            for dimension in 0..dimensions {
                texel[dimension] = whole(scaled[dimension]).saturating_add(offset[dimension]);
            }
            return self.texel(image, texel);
        }
        let (mut first, mut weights) = ([0; 3], [0; 3]);
        for dimension in 0..dimensions {
            let centred = scaled[dimension] - 0.5;
            first[dimension] = whole(centred).saturating_add(offset[dimension]);
            weights[dimension] = weight(centred - centred.floor());
        }
        let integers = self.integers(image);
        // The linear values of sRGB have a fraction.
        let kind = |channel: usize| {
            if self.srgb(image, channel) { Channel::F32 } else { image.channel }
        };
        // Negative, so that a sum of zeros has their sign.
        let mut sums = [-0.0; 4];
        for (corner, share) in shares(weights).into_iter().enumerate() {
            // A texel without a share is not looked at: it may be no number.
            if share == 0 {
                continue;
            }
            let texel = std::array::from_fn(|i| first[i].saturating_add((corner >> i & 1) as i64));
            let (bits, values) = self.channels(image, texel)?;
            for (channel, sum) in sums.iter_mut().enumerate() {
                let one = unfiltered(kind(channel), integers, bits[channel], values[channel]);
                *sum += one * f64::from(share) / f64::from(STEPS);
            }
        }
        Ok(filtered(kind, integers, sums))
    }

    /// The level of detail, filtered or not.
    fn at_detail(
        &self,
        at: [f64; 3],
        dimensions: usize,
        offset: [i64; 3],
        detail: f64,
    ) -> Result<Texel, Fault> {
        let texture = self.texture;
        let last = (texture.levels.len() - 1) as f64;
        let [least, greatest] = texture.clamp.map(f64::from);
        let detail = if detail.is_nan() { 0.0 } else { detail };
        let detail = (detail + f64::from(texture.bias)).max(least).min(greatest.max(least));
        let detail = detail.clamp(0.0, last);
        let level =
            |index: f64| self.level(&texture.levels[index as usize], at, dimensions, offset);
        if !texture.linear_levels {
            return level((detail + 0.5).floor().min(last));
        }
        let below = detail.floor();
        let share = f64::from(weight(detail - below)) / f64::from(STEPS);
        match (level(below)?, share) {
            (Texel::Real(one), share) if share > 0.0 => match level((below + 1.0).min(last))? {
                Texel::Real(other) => {
                    let both = |i: usize| one[i] * (1.0 - share) + other[i] * share;
                    Ok(Texel::Real(std::array::from_fn(both)))
                }
                bits => Ok(bits),
            },
            (one, _) => Ok(one),
        }
    }

    /// A channel of the four texels around a place: from the lower left one, against the clock.
    fn gather(&self, at: [f64; 3], channel: usize, offset: [i64; 3]) -> Result<Texel, Fault> {
        let image = &self.texture.levels[0];
        let first = |dimension: usize| {
            let scaled = self.scaled(at[dimension], image.size[dimension]);
            whole(scaled - 0.5).saturating_add(offset[dimension])
        };
        let (x, y) = (first(0), first(1));
        let (mut bits, mut values) = ([0; 4], [0.0; 4]);
        let corners = [(0, 1), (1, 1), (1, 0), (0, 0)];
        for (i, (right, down)) in corners.into_iter().enumerate() {
            match self.texel(image, [x.saturating_add(right), y.saturating_add(down), 0])? {
                Texel::Real(texel) => values[i] = texel[channel],
                Texel::Bits(texel) => bits[i] = texel[channel],
            }
        }
        Ok(if self.integers(image) { Texel::Bits(bits) } else { Texel::Real(values) })
    }
}

/// The face that a direction leads to, and the place in it.
fn face([x, y, z]: [f64; 3]) -> (u32, [f64; 2]) {
    let (ax, ay, az) = (x.abs(), y.abs(), z.abs());
    let (face, most, s, t) = if ax >= ay && ax >= az {
        if x >= 0.0 { (0, ax, -z, -y) } else { (1, ax, z, -y) }
    } else if ay >= az {
        if y >= 0.0 { (2, ay, x, z) } else { (3, ay, x, -z) }
    } else if z >= 0.0 {
        (4, az, x, -y)
    } else {
        (5, az, -x, -y)
    };
    let place = |one: f64| (one / most + 1.0) / 2.0;
    (face, [place(s), place(t)])
}

/// The level of detail of derivatives by x and by y, each in a level's texels.
fn detail_of(texture: &Texture, by: [[f64; 3]; 2], dimensions: usize) -> f64 {
    let size = texture.levels[0].size;
    let length = |by: [f64; 3]| {
        let scale = |i: usize| if texture.normalized { f64::from(size[i]) } else { 1.0 };
        (0..dimensions).map(|i| (by[i] * scale(i)).powi(2)).sum::<f64>().sqrt()
    };
    length(by[0]).max(length(by[1])).log2()
}

/// Fetches.
pub(super) fn fetch(
    warp: &mut Warp,
    shared: &Shared<'_>,
    group: Group,
    mask: u32,
    op: &FetchOp,
) -> Result<(), Fault> {
    let kernel = shared.kernel;
    let memory = shared.launch.memory;
    let mut out = [[0; 32]; 4];
    for lane in lanes(mask) {
        let bits = |src: Src| warp.row(kernel, group, src)[lane];
        let real = |src: Src| f64::from(f32::from_bits(bits(src) as u32));
        let texture = memory.texture(bits(op.object)).ok_or(Fault::IllegalAddress)?;
        let (layer, place) = match op.at.split_first() {
            Some((layer, place)) if op.geometry.layered() => (bits(*layer) as u32, place),
            _ => (0, &op.at[..]),
        };
        let mut at = [0.0; 3];
        for (at, src) in at.iter_mut().zip(place) {
            *at = if op.whole { f64::from(bits(*src) as i32) } else { real(*src) };
        }
        let offset = op.offset.map(|src| i64::from(bits(src) as i32));
        let cube = matches!(op.geometry, Geometry::Cube | Geometry::ACube);
        let layers = texture.levels[0].layers;
        let (layer, dimensions) = if cube {
            let (face, place) = face(at);
            at = [place[0], place[1], 0.0];
            (layer.min((layers / 6).saturating_sub(1)) * 6 + face, 2)
        } else {
            (layer.min(layers - 1), op.geometry.dimensions())
        };
        let fetch = Fetch { memory, texture: &texture, layer: layer.min(layers - 1) };
        let texel = match op.detail {
            Detail::Gather(channel) => fetch.gather(at, channel.into(), offset)?,
            // In one dimension, an index is one of linear memory (F380).
            Detail::Base if op.whole && op.geometry == Geometry::D1 && !texture.linear_memory => {
                Texel::Real([0.0; 4])
            }
            Detail::Base | Detail::Level(_) if op.whole => {
                let level = match op.detail {
                    Detail::Level(level) => bits(level) as usize,
                    _ => 0,
                };
                let image = &texture.levels[level.min(texture.levels.len() - 1)];
                let at: [i64; 3] =
                    std::array::from_fn(|i| (at[i] as i64).saturating_add(offset[i]));
                fetch.texel(image, at)?
            }
            Detail::Base => fetch.at_detail(at, dimensions, offset, 0.0)?,
            Detail::Level(level) => fetch.at_detail(at, dimensions, offset, real(level))?,
            Detail::Gradient(by) => {
                let by = by.map(|by| by.map(real));
                let detail = detail_of(&texture, by, dimensions);
                fetch.at_detail(at, dimensions, offset, detail)?
            }
        };
        let results = match (texel, op.gives) {
            (Texel::Bits(bits), _) => bits.map(u64::from),
            (Texel::Real(values), Fetched::F16 | Fetched::F16x2) => values.map(bits_f16),
            (Texel::Real(values), _) => values.map(|value| u64::from((value as f32).to_bits())),
        };
        let results = match op.gives {
            Fetched::F16x2 => [results[0] | results[1] << 16, results[2] | results[3] << 16, 0, 0],
            _ => results,
        };
        (0..4).for_each(|i| out[i][lane] = results[i]);
    }
    for (d, out) in op.d.iter().zip(&out) {
        warp.put(group, *d, mask, out);
    }
    Ok(())
}

/// Asks.
pub(super) fn query(
    warp: &mut Warp,
    shared: &Shared<'_>,
    group: Group,
    mask: u32,
    (what, surface): (Query, bool),
    (d, object, level): (Slot, Src, Src),
) -> Result<(), Fault> {
    let kernel = shared.kernel;
    let memory = shared.launch.memory;
    let mut out = [0; 32];
    for lane in lanes(mask) {
        let handle = warp.row(kernel, group, object)[lane];
        let level = warp.row(kernel, group, level)[lane] as usize;
        let (image, levels) = if surface {
            (memory.surface(handle).ok_or(Fault::IllegalAddress)?.as_ref().clone(), 1)
        } else {
            let texture = memory.texture(handle).ok_or(Fault::IllegalAddress)?;
            let levels = texture.levels.len();
            (texture.levels[level.min(levels - 1)].clone(), levels)
        };
        out[lane] = u64::from(match what {
            Query::Width => image.size[0],
            Query::Height => image.size[1],
            Query::Depth => image.size[2],
            Query::Layers => image.layers,
            Query::Levels => levels as u32,
        });
    }
    warp.put(group, d, mask, &out);
    Ok(())
}
