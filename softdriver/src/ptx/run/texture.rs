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

/// What is fetched by one lane.
struct Fetch<'a> {
    memory: &'a dyn Memory,
    texture: &'a Texture,
    layer: u32,
}

/// The steps of a weight: the hardware has 8 bits of a fraction.
const STEPS: f64 = 256.0;

/// A weight, to the nearest step.
fn weight(fraction: f64) -> f64 {
    (fraction * STEPS).round() / STEPS
}

/// The whole part of a coordinate; of none, 0.
fn whole(at: f64) -> i64 {
    at.floor() as i64
}

/// The value of a channel's bits.
fn value(channel: Channel, bits: u32) -> f64 {
    match channel {
        Channel::U8 => f64::from(bits as u8) / 255.0,
        Channel::U16 => f64::from(bits as u16) / 65535.0,
        Channel::S8 => (f64::from(bits as u8 as i8) / 127.0).max(-1.0),
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

/// An sRGB value as a linear one.
fn linear(value: f64) -> f64 {
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

impl Fetch<'_> {
    /// Whether what is fetched stays integers.
    fn integers(&self, image: &Image) -> bool {
        image.channel.is_integer() && (self.texture.integers || !image.channel.is_small_integer())
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
        let integers = self.integers(image);
        if self.texture.linear_memory {
            let within = (0..i64::from(image.size[0])).contains(&at[0]);
            let at = if within { Some([at[0] as u64, 0, 0]) } else { None };
            return match at {
                Some(at) => self.load(image, at),
                None if integers => Ok(Texel::Bits([0; 4])),
                None => Ok(Texel::Real([0.0; 4])),
            };
        }
        let mut place = [0; 3];
        for dimension in 0..3 {
            match self.inside(dimension, at[dimension], image.size[dimension]) {
                Some(at) => place[dimension] = at,
                None => {
                    let border = self.texture.border;
                    return Ok(match integers {
                        true => Texel::Bits(border.map(|channel| channel as i64 as u32)),
                        false => Texel::Real(border.map(f64::from)),
                    });
                }
            }
        }
        self.load(image, place)
    }

    /// The channels of a texel; the missing ones are 0 (F370).
    fn load(&self, image: &Image, [x, y, z]: [u64; 3]) -> Result<Texel, Fault> {
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
            if self.texture.srgb && image.channel == Channel::U8 && channel < 3 {
                values[channel] = linear(values[channel]);
            }
        }
        Ok(if self.integers(image) { Texel::Bits(bits) } else { Texel::Real(values) })
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
        let filtered = self.texture.linear && !self.integers(image) && !self.texture.linear_memory;
        if !filtered {
            let mut texel = [0; 3];
            for dimension in 0..dimensions {
                texel[dimension] = whole(scaled[dimension]).saturating_add(offset[dimension]);
            }
            return self.texel(image, texel);
        }
        let (mut first, mut weights) = ([0; 3], [0.0; 3]);
        for dimension in 0..dimensions {
            let centred = scaled[dimension] - 0.5;
            first[dimension] = whole(centred).saturating_add(offset[dimension]);
            weights[dimension] = weight(centred - centred.floor());
        }
        let mut sum = [0.0; 4];
        for corner in 0..1_usize << dimensions {
            let (mut texel, mut share) = (first, 1.0);
            for dimension in 0..dimensions {
                let second = corner >> dimension & 1 == 1;
                texel[dimension] = texel[dimension].saturating_add(i64::from(second));
                share *= if second { weights[dimension] } else { 1.0 - weights[dimension] };
            }
            // What has no weight is not looked at: it may be no number.
            if share != 0.0
                && let Texel::Real(values) = self.texel(image, texel)?
            {
                sum.iter_mut().zip(values).for_each(|(sum, value)| *sum += share * value);
            }
        }
        Ok(Texel::Real(sum))
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
        let (below, share) = (detail.floor(), weight(detail - detail.floor()));
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
