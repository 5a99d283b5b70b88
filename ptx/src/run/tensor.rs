//! Copies of boxes and pixels of tensors, which are made at once.

use super::super::bulk::{BoxMove, ReplaceOp, TensorOp};
use super::super::code::{CLUSTER_SPAN, Space, Update};
use super::super::ops;
use super::super::ops::lanes::lanes;
use super::super::tensor::{Map, Pieces, WORDS};
use super::super::types::Type;
use super::Fault;
use super::access::{addresses, order, write};
use super::block::Shared;
use super::bulk::{bytes_at, deliver, put_bytes, reduce, told};
use super::reach;
use super::warp::{Group, Warp};

/// The type of a map's elements, for reductions.
fn element_type(map: &Map) -> Option<Type> {
    Some(match map.kind {
        2 => Type::U32,
        3 => Type::S32,
        4 => Type::U64,
        5 => Type::S64,
        6 => Type::F16,
        7 | 10 => Type::F32,
        8 => Type::F64,
        9 => Type::BF16,
        _ => return None,
    })
}

/// The bits of an element beyond the edges: zero, or what is no number.
const fn beyond(map: &Map) -> u64 {
    if map.fill == 0 { 0 } else { 0x7ff7_7ff7_7ff7_7ff7 }
}

/// An element as shared memory gets it: numbers of tf32 are rounded. Subnormal numbers stay, also if the kind of the map says
/// that they become zero.
const fn taken(map: &Map, bits: u64) -> u64 {
    let rounded = matches!(map.kind, 11 | 12) && bits & 0x7f80_0000 != 0x7f80_0000;
    if rounded { (bits + 0x1000) & !0x1fff } else { bits }
}

/// The bytes from one row of a box to the next: rows that are swizzled have the room of the swizzle.
fn pitch(map: &Map, row: u64) -> u64 {
    match map.swizzle {
        0 => row,
        swizzle => row.max(16 << swizzle),
    }
}

/// Where the bytes of a row are, in shared memory that is swizzled.
const fn swizzled(swizzle: u32, at: u64) -> u64 {
    match swizzle {
        1 => at ^ (at >> 3 & 0x10),
        2 => at ^ (at >> 3 & 0x30),
        3 => at ^ (at >> 3 & 0x70),
        _ => at,
    }
}

/// An element that is copied: where it is in the tensor, if within the edges, and in the box.
type Element = (Option<u64>, u64);

/// The bytes of what the innermost dimension counts: an element, or a slice of channels if these are interleaved.
fn unit(map: &Map) -> Option<usize> {
    match map.interleave {
        0 => map.element(),
        1 => Some(16),
        2 => Some(32),
        _ => None,
    }
}

/// The address of what is at a place, if it is within the edges. A store writes the 16 bytes of which some are within (F604).
fn address(map: &Map, place: &[i64], unit: usize, stores: bool) -> Option<u64> {
    let whole = |extent: u64| (extent * unit as u64).next_multiple_of(16) / unit as u64;
    let mut within = place.iter().zip(&map.extents).enumerate();
    let inside = within.all(|(dimension, (&at, &extent))| {
        let extent = if stores && dimension == 0 { whole(extent) } else { extent };
        u64::try_from(at).is_ok_and(|at| at < extent)
    });
    inside.then(|| {
        let outer = place[1..].iter().zip(&map.strides);
        let distance = outer.map(|(&at, &stride)| (at as u64).wrapping_mul(stride));
        let inner = (place[0] as u64).wrapping_mul(unit as u64);
        distance.fold(map.address.wrapping_add(inner), u64::wrapping_add)
    })
}

/// The elements that are copied at a place, and their bytes; none if an H100 does not copy so. Pixels have offsets.
fn elements(
    map: &Map,
    at: &[i64],
    offsets: Option<&[i64]>,
    stores: bool,
) -> Option<(Vec<Element>, u64)> {
    let (size, unit) = (map.element()?, unit(map)?);
    // The places of lines, and how much a line has.
    let (places, line) = match (&map.pieces, offsets) {
        (Pieces::Box(extents), None) => (lines(map, at, extents)?, extents[0]),
        (Pieces::Pixels { channels, .. }, Some(offsets)) => (pixels(map, at, offsets)?, *channels),
        _ => return None,
    };
    let step = innermost_step(map);
    let line = u64::from(line.div_ceil(step));
    let row = line * unit as u64;
    let span = if map.swizzle == 0 { u64::MAX } else { 16 << map.swizzle };
    // No map is encoded with these values, but a kernel may have replaced fields.
    let plain = map.interleave == 0 && (!row.is_multiple_of(16) || row > span);
    let integers = map.kind < 6 && map.fill != 0;
    if plain || integers || map.extents.iter().any(|&extent| extent > u32::MAX.into()) {
        return None;
    }
    let pitch = if map.interleave == 0 { pitch(map, row) } else { row };
    let mut list = Vec::with_capacity(places.len() * line as usize * (unit / size));
    for (mut place, start) in places.into_iter().zip((0..).step_by(pitch.max(1) as usize)) {
        for to in (start..start + row).step_by(unit) {
            let from = address(map, &place, unit, stores);
            for part in (0..unit as u64).step_by(size) {
                list.push((from.map(|from| from.wrapping_add(part)), to + part));
            }
            place[0] += i64::from(step);
        }
    }
    let total = list.len() as u64 * size as u64;
    Some((list, total))
}

/// The step of the innermost dimension: it has none if it counts elements.
fn innermost_step(map: &Map) -> u32 {
    if map.interleave == 0 { 1 } else { map.steps[0].max(1) }
}

/// Where the lines of a box at a place begin.
fn lines(map: &Map, at: &[i64], extents: &[u32]) -> Option<Vec<Vec<i64>>> {
    // Of slices of channels, which the last dimension but one counts, a box has one.
    let slices = if map.interleave == 0 { usize::MAX } else { at.len().checked_sub(2)? };
    let count = |(dimension, &extent): (usize, &u32)| {
        if dimension == slices {
            1
        } else {
            u64::from(extent.div_ceil(map.steps[dimension].max(1)))
        }
    };
    let counts: Vec<u64> = extents.iter().enumerate().skip(1).map(count).collect();
    let all = counts.iter().fold(1, |all: u64, &count| all.saturating_mul(count));
    if all.saturating_mul(u64::from(extents[0])) > CLUSTER_SPAN {
        return None;
    }
    let mut list = Vec::with_capacity(all as usize);
    for index in 0..all {
        let (mut rest, mut place) = (index, at.to_vec());
        for (dimension, &count) in (1..).zip(&counts) {
            place[dimension] += ((rest % count) * u64::from(map.steps[dimension].max(1))) as i64;
            rest /= count;
        }
        list.push(place);
    }
    Some(list)
}

/// Where pixels begin that are copied from a place on: they run over the area between the corners, and then over that of
/// the next image. Their offsets are added at the end. None if the place is outside of the area.
fn pixels(map: &Map, at: &[i64], offsets: &[i64]) -> Option<Vec<Vec<i64>>> {
    let Pieces::Pixels { lower, upper, pixels, .. } = &map.pieces else { return None };
    if map.interleave != 0 {
        return None;
    }
    let corners = lower.iter().zip(upper).zip(&map.extents[1..]);
    let area: Vec<_> = corners
        .map(|((&lower, &upper), &extent)| i64::from(lower)..extent as i64 + i64::from(upper))
        .collect();
    if !area.iter().zip(&at[1..]).all(|(range, at)| range.contains(at)) {
        return None;
    }
    let step = |dimension: usize| i64::from(map.steps[dimension].max(1));
    let mut place = at.to_vec();
    let mut list = Vec::with_capacity(*pixels as usize);
    for _ in 0..*pixels {
        let mut moved = place.clone();
        moved[1..].iter_mut().zip(offsets).for_each(|(own, offset)| *own += offset);
        list.push(moved);
        let next = (1..).zip(&area).find(|&(dimension, range)| {
            place[dimension] += step(dimension);
            let within = place[dimension] < range.end;
            if !within {
                place[dimension] = range.start;
            }
            within
        });
        if next.is_none() {
            place[area.len() + 1] += step(area.len() + 1);
        }
    }
    Some(list)
}

/// The offsets of pixels: as many bits each as the rank leaves them. Three lie in one word, where the bits that are too
/// many belong to the next.
fn apart(offsets: impl Iterator<Item = u64>, count: usize) -> Vec<i64> {
    let packed = (0..).zip(offsets).fold(0, |all, (at, offset)| match count {
        3 => all | offset << (5 * at),
        2 => all | (offset & 0xff) << (8 * at),
        _ => all | offset,
    });
    let bits = [16, 8, 5][count.clamp(1, 3) - 1];
    (0..count).map(|at| (packed >> (bits * at) & !(u64::MAX << bits)) as i64).collect()
}

/// Whether an H100 stores to a place: pixels only if their area is within the image, and nothing to a negative place in
/// an image or slice of channels.
fn takes_stores(map: &Map, at: &[i64]) -> bool {
    let positive = at[1..].iter().all(|&at| at >= 0);
    match &map.pieces {
        Pieces::Box(_) => map.interleave == 0 || positive,
        Pieces::Pixels { lower, upper, .. } => {
            positive && lower.iter().all(|&at| at >= 0) && upper.iter().all(|&at| at <= 0)
        }
    }
}

/// The words of a map, as a lane sees them.
fn words(
    warp: &Warp,
    shared: &Shared<'_>,
    (space, lane): (Space, usize),
    at: u64,
) -> Result<[u64; WORDS], Fault> {
    let mut words = [0; WORDS];
    for (index, word) in words.iter_mut().enumerate() {
        let at = [at.wrapping_add(8 * index as u64); 32];
        let mut out = [0; 32];
        reach::load(warp, shared, (space, 1 << lane), &at, 8, &mut out)?;
        *word = out[lane];
    }
    Ok(words)
}

/// `tensormap.replace`
pub(super) fn replace(
    warp: &mut Warp,
    shared: &mut Shared<'_>,
    group: Group,
    mask: u32,
    op: &ReplaceOp,
) -> Result<(), Fault> {
    order(shared, &op.map);
    let (at, space) = (addresses(warp, shared, group, mask, &op.map)?, op.map.space);
    let values = *warp.row(shared.kernel, group, op.value);
    for lane in lanes(mask) {
        let mut words = words(warp, shared, (space, lane), at[lane])?;
        if !Map::replace(&mut words, op.field, values[lane]) {
            return Err(Fault::IllegalInstruction);
        }
        for (index, &word) in words.iter().enumerate() {
            let at = [at[lane].wrapping_add(8 * index as u64); 32];
            reach::store(warp, shared, (space, 1 << lane), &at, 8, &[word; 32])?;
        }
    }
    Ok(())
}

/// `cp.async.bulk.tensor` and `cp.reduce.async.bulk.tensor`
pub(super) fn copy(
    warp: &Warp,
    shared: &mut Shared<'_>,
    group: Group,
    mask: u32,
    op: &TensorOp,
) -> Result<(), Fault> {
    order(shared, &op.memory);
    let memory = addresses(warp, shared, group, mask, &op.memory)?;
    let told = match &op.what {
        BoxMove::Load(one) => Some(told(warp, shared, group, mask, one)?),
        BoxMove::Store(_) => None,
    };
    let mut maps = [0; 32];
    warp.addresses(shared, group, op.map, &mut maps);
    for lane in lanes(mask) {
        if maps[lane] % 64 != 0 {
            return Err(Fault::MisalignedAddress);
        }
        let words = words(warp, shared, (Space::Generic, lane), maps[lane])?;
        let map = Map::decode(&words).ok_or(Fault::IllegalInstruction)?;
        let value = |src| warp.row(shared.kernel, group, src)[lane];
        let at: Vec<i64> = op.at.iter().map(|&src| i64::from(value(src) as u32 as i32)).collect();
        if at.len() != map.extents.len() || map.swizzle > 3 {
            return Err(Fault::IllegalInstruction);
        }
        let offsets = op
            .offsets
            .as_ref()
            .map(|list| apart(list.iter().map(|&src| value(src) & 0xffff), list.len()));
        let stores = matches!(op.what, BoxMove::Store(None));
        let (elements, total) =
            elements(&map, &at, offsets.as_deref(), stores).ok_or(Fault::IllegalInstruction)?;
        let size = map.element().ok_or(Fault::IllegalInstruction)?;
        // As an H100 has it.
        if map.interleave == 0 && at[0] * size as i64 % 16 != 0 {
            return Err(Fault::IllegalInstruction);
        }
        let start = memory[lane];
        if start % 128 != 0 || map.address % if map.interleave == 2 { 32 } else { 16 } != 0 {
            return Err(Fault::MisalignedAddress);
        }
        match &op.what {
            BoxMove::Load(_) => {
                let mut values = Vec::with_capacity(elements.len());
                for &(from, to) in &elements {
                    let mut out = [0; 32];
                    let Some(from) = from else {
                        values.push((to, beyond(&map)));
                        continue;
                    };
                    shared.launch.memory.load(&[from; 32], 1, size, &mut out)?;
                    values.push((to, taken(&map, out[0])));
                }
                let put = |shared: &mut Shared<'_>, at: u64| {
                    for &(to, value) in &values {
                        let (memory, at) =
                            reach::block_mut(shared, swizzled(map.swizzle, at + to))?;
                        write(memory, at, size, value)?;
                    }
                    Ok(())
                };
                if let Some((barriers, blocks)) = &told {
                    let blocks = blocks.map(|blocks| blocks[lane]);
                    deliver(shared, (start, barriers[lane], blocks), total, put)?;
                }
            }
            BoxMove::Store(name) => {
                if !takes_stores(&map, &at) {
                    return Err(Fault::IllegalInstruction);
                }
                let update = match name {
                    None => None,
                    Some(name) => {
                        let ty = element_type(&map).ok_or(Fault::IllegalInstruction)?;
                        Some(reduction(name, ty).ok_or(Fault::IllegalInstruction)?)
                    }
                };
                for (to, from) in elements {
                    let Some(to) = to else { continue };
                    let mut value = [0; 8];
                    let from = swizzled(map.swizzle, start + from);
                    bytes_at(shared, Space::Shared, from, &mut value[..size])?;
                    match update {
                        None => put_bytes(shared, Space::Global, to, &value[..size])?,
                        Some(update) => {
                            reduce(shared, Space::Global, to, &value[..size], (update, size))?;
                        }
                    }
                }
            }
        }
    }
    Ok(())
}

/// The update of a reduction of a tensor: one of bits takes the type for bits.
fn reduction(name: &str, ty: Type) -> Option<Update> {
    let bits = matches!(name, "and" | "or" | "xor");
    let ty = match ty.bytes {
        4 if bits => Type::B32,
        8 if bits => Type::B64,
        _ => ty,
    };
    ops::atomic(name, ty)
}
