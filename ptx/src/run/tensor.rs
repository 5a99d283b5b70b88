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

/// An element as shared memory gets it: numbers of tf32 are rounded, and subnormal ones become zero if the kind of
/// the map says so.
const fn taken(map: &Map, bits: u64) -> u64 {
    if matches!(map.kind, 10 | 12) && bits & 0x7f80_0000 == 0 {
        return bits & 0x8000_0000;
    }
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

/// The address of an element, if it is within the edges.
fn address(map: &Map, place: &[i64], size: u64) -> Option<u64> {
    let mut within = place.iter().zip(&map.extents);
    let inside = within.all(|(&at, &extent)| u64::try_from(at).is_ok_and(|at| at < extent));
    inside.then(|| {
        let outer = place[1..].iter().zip(&map.strides);
        let distance = outer.map(|(&at, &stride)| (at as u64).wrapping_mul(stride));
        let inner = (place[0] as u64).wrapping_mul(size);
        distance.fold(map.address.wrapping_add(inner), u64::wrapping_add)
    })
}

/// The elements that are copied at a place, and their bytes. Pixels have offsets.
fn elements(map: &Map, at: &[i64], offsets: Option<&[i64]>) -> Option<(Vec<Element>, u64)> {
    let size = map.element()? as u64;
    // The first elements of the lines, and how long a line is.
    let (places, line) = match (&map.pieces, offsets) {
        (Pieces::Box(extents), None) => (lines(map, at, extents)?, extents[0]),
        (Pieces::Pixels { channels, .. }, Some(offsets)) => (pixels(map, at, offsets), *channels),
        _ => return None,
    };
    let row = u64::from(line) * size;
    let pitch = pitch(map, row);
    let mut list = Vec::with_capacity(places.len() * line as usize);
    for (mut place, start) in places.into_iter().zip((0..).step_by(pitch.max(1) as usize)) {
        for element in 0..u64::from(line) {
            list.push((address(map, &place, size), start + element * size));
            place[0] += 1;
        }
    }
    let total = list.len() as u64 * size;
    Some((list, total))
}

/// Where the lines of a box at a place begin.
fn lines(map: &Map, at: &[i64], extents: &[u32]) -> Option<Vec<Vec<i64>>> {
    let counts = extents.iter().zip(&map.steps).skip(1);
    let counts: Vec<u64> =
        counts.map(|(&extent, &step)| u64::from(extent.div_ceil(step.max(1)))).collect();
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
/// the next image. Their offsets are added at the end.
fn pixels(map: &Map, at: &[i64], offsets: &[i64]) -> Vec<Vec<i64>> {
    let Pieces::Pixels { lower, upper, pixels, .. } = &map.pieces else { return Vec::new() };
    let mut place = at.to_vec();
    let images = lower.len();
    let mut list = Vec::with_capacity(*pixels as usize);
    for _ in 0..*pixels {
        let mut moved = place.clone();
        moved[1..].iter_mut().zip(offsets).for_each(|(own, offset)| *own += offset);
        list.push(moved);
        let corners = lower.iter().zip(upper).map(|(&lower, &upper)| (lower.into(), upper.into()));
        let next = (1..).zip(corners).find(|&(dimension, (lower, upper)): &(usize, (i64, i64))| {
            place[dimension] += i64::from(map.steps[dimension].max(1));
            let within = place[dimension] < map.extents[dimension] as i64 + upper;
            if !within {
                place[dimension] = lower;
            }
            within
        });
        if next.is_none() {
            place[images + 1] += 1;
        }
    }
    list
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
        if at.len() != map.extents.len() || map.interleave != 0 || map.swizzle > 3 {
            return Err(Fault::IllegalInstruction);
        }
        let offsets = op
            .offsets
            .as_ref()
            .map(|list| list.iter().map(|&src| i64::from(value(src) as u16)).collect::<Vec<_>>());
        let (elements, total) =
            elements(&map, &at, offsets.as_deref()).ok_or(Fault::IllegalInstruction)?;
        let size = map.element().ok_or(Fault::IllegalInstruction)?;
        // As an H100 has it.
        if at[0] * size as i64 % 16 != 0 {
            return Err(Fault::IllegalInstruction);
        }
        let start = memory[lane];
        if start % 128 != 0 {
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
                // As an H100 has it: pixels beyond the edges are no place to store to.
                let beyond = |lower: &[i16]| {
                    lower.iter().any(|&offset| offset < 0)
                        || elements.iter().any(|(to, _)| to.is_none())
                };
                if matches!(&map.pieces, Pieces::Pixels { lower, .. } if beyond(lower)) {
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
