//! `cp.async.bulk` and its kin: copies that are made at once.

use super::super::bulk::{BoxMove, BulkOp, SendOp, TensorOp, Told};
use super::super::code::{CLUSTER_SPAN, Space, Update};
use super::super::ops;
use super::super::ops::Row;
use super::super::ops::lanes::lanes;
use super::super::tensor::{Map, Pieces, WORDS};
use super::super::types::Type;
use super::Fault;
use super::access::{addresses, order, read, write};
use super::block::Shared;
use super::warp::{Group, Warp};
use super::{mbarrier, reach};

/// Bytes in one of the spaces that bulk copies are between.
fn bytes_at(shared: &Shared<'_>, space: Space, at: u64, out: &mut [u8]) -> Result<(), Fault> {
    if space != Space::Global {
        let (memory, at) = reach::block(shared, at)?;
        let place = usize::try_from(at).ok().and_then(|at| memory.get(at..)?.get(..out.len()));
        out.copy_from_slice(place.ok_or(Fault::IllegalAddress)?);
        return Ok(());
    }
    let size = width(at, out.len());
    for (index, part) in out.chunks_mut(32 * size).enumerate() {
        let start = at.wrapping_add((index * 32 * size) as u64);
        let (addresses, mask) = (row(start, size), mask(part.len() / size));
        let mut words = [0; 32];
        shared.launch.memory.load(&addresses, mask, size, &mut words)?;
        for (place, word) in part.chunks_mut(size).zip(words) {
            place.copy_from_slice(&word.to_le_bytes()[..size]);
        }
    }
    Ok(())
}

/// The same, to be written.
fn put_bytes(shared: &mut Shared<'_>, space: Space, at: u64, bytes: &[u8]) -> Result<(), Fault> {
    if space != Space::Global {
        let (memory, at) = reach::block_mut(shared, at)?;
        let place =
            usize::try_from(at).ok().and_then(|at| memory.get_mut(at..)?.get_mut(..bytes.len()));
        place.ok_or(Fault::IllegalAddress)?.copy_from_slice(bytes);
        return Ok(());
    }
    let size = width(at, bytes.len());
    for (index, part) in bytes.chunks(32 * size).enumerate() {
        let start = at.wrapping_add((index * 32 * size) as u64);
        let (addresses, mask) = (row(start, size), mask(part.len() / size));
        let mut words = [0; 32];
        for (word, place) in words.iter_mut().zip(part.chunks(size)) {
            *word = little(place);
        }
        shared.launch.memory.store(&addresses, mask, size, &words)?;
    }
    Ok(())
}

/// The largest words that an address and a length consist of.
fn width(at: u64, len: usize) -> usize {
    [8, 4, 2]
        .into_iter()
        .find(|&size| at.is_multiple_of(size as u64) && len.is_multiple_of(size))
        .unwrap_or(1)
}

fn row(start: u64, size: usize) -> Row {
    std::array::from_fn(|lane| start.wrapping_add((lane * size) as u64))
}

fn mask(count: usize) -> u32 {
    if count >= 32 { u32::MAX } else { (1 << count) - 1 }
}

fn little(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

/// Updates the values at an address, each in one step as others see it.
fn reduce(
    shared: &mut Shared<'_>,
    space: Space,
    at: u64,
    bytes: &[u8],
    (update, size): (Update, usize),
) -> Result<(), Fault> {
    for (index, place) in bytes.chunks(size).enumerate() {
        let (at, b) = (at.wrapping_add((index * size) as u64), little(place));
        if space == Space::Global {
            let mut update = |old| Some(update.update(old, b, 0)).filter(|&new| new != old);
            shared.launch.memory.atomic(at, size, &mut update)?;
        } else {
            let (memory, at) = reach::block_mut(shared, at)?;
            let old = read(memory, at, size)?;
            write(memory, at, size, update.update(old, b, 0))?;
        }
    }
    Ok(())
}

/// The address of the same place in the shared memory of a block of the cluster.
fn in_block(rank: u32, at: u64) -> u64 {
    (u64::from(rank) + 1) * CLUSTER_SPAN + at % CLUSTER_SPAN
}

/// Puts bytes into the shared memory of one block or of several, and tells their barriers of so many.
fn deliver(
    shared: &mut Shared<'_>,
    (at, barrier, blocks): (u64, u64, Option<u64>),
    told: u64,
    put: impl Fn(&mut Shared<'_>, u64) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let Some(blocks) = blocks else {
        put(shared, at)?;
        return mbarrier::came(shared, barrier, told);
    };
    for rank in (0..16).filter(|rank| blocks >> rank & 1 == 1) {
        put(shared, in_block(rank, at))?;
        mbarrier::came(shared, in_block(rank, barrier), told)?;
    }
    Ok(())
}

/// The barriers and blocks that the lanes tell.
fn told(
    warp: &Warp,
    shared: &Shared<'_>,
    group: Group,
    mask: u32,
    told: &Told,
) -> Result<(Row, Option<Row>), Fault> {
    let barriers = addresses(warp, shared, group, mask, &told.barrier)?;
    Ok((barriers, told.blocks.map(|blocks| *warp.row(shared.kernel, group, blocks))))
}

/// `cp.async.bulk` and `cp.reduce.async.bulk`
pub(super) fn copy(
    warp: &Warp,
    shared: &mut Shared<'_>,
    group: Group,
    mask: u32,
    op: &BulkOp,
) -> Result<(), Fault> {
    order(shared, &op.to);
    let to = addresses(warp, shared, group, mask, &op.to)?;
    let from = addresses(warp, shared, group, mask, &op.from)?;
    let sizes = *warp.row(shared.kernel, group, op.size);
    let told = op.told.as_ref().map(|one| told(warp, shared, group, mask, one)).transpose()?;
    for lane in lanes(mask) {
        let size = sizes[lane] as usize;
        if !size.is_multiple_of(16) {
            return Err(Fault::MisalignedAddress);
        }
        // In pieces, so that a wrong size takes no memory.
        let mut piece = [0; 4096];
        let mut done = 0;
        while done < size {
            let piece = &mut piece[..(size - done).min(4096)];
            bytes_at(shared, op.from.space, from[lane].wrapping_add(done as u64), piece)?;
            let piece = &*piece;
            let put = |shared: &mut Shared<'_>, at: u64| match op.reduce {
                None => put_bytes(shared, op.to.space, at, piece),
                Some(reduction) => reduce(shared, op.to.space, at, piece, reduction),
            };
            let at = to[lane].wrapping_add(done as u64);
            match &told {
                None => put(shared, at)?,
                Some((barriers, blocks)) => {
                    let blocks = blocks.map(|blocks| blocks[lane]);
                    deliver(shared, (at, barriers[lane], blocks), piece.len() as u64, put)?;
                }
            }
            done += piece.len();
        }
    }
    Ok(())
}

/// `st.async` and `red.async`
pub(super) fn send(
    warp: &Warp,
    shared: &mut Shared<'_>,
    group: Group,
    mask: u32,
    op: &SendOp,
) -> Result<(), Fault> {
    order(shared, &op.to);
    let to = addresses(warp, shared, group, mask, &op.to)?;
    let barriers = addresses(warp, shared, group, mask, &op.barrier)?;
    let size = usize::from(op.to.bytes);
    for lane in lanes(mask) {
        for (index, &value) in op.values.iter().enumerate() {
            let value = warp.row(shared.kernel, group, value)[lane];
            let (memory, at) = reach::block_mut(shared, to[lane] + (index * size) as u64)?;
            let value = match op.update {
                None => value,
                Some(update) => update.update(read(memory, at, size)?, value, 0),
            };
            write(memory, at, size, value)?;
        }
        mbarrier::came(shared, barriers[lane], (op.values.len() * size) as u64)?;
    }
    Ok(())
}

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

/// The elements of a box at a place, and the bytes of the box.
fn elements(map: &Map, at: &[i64]) -> Option<(Vec<Element>, u64)> {
    let size = map.element()? as u64;
    let address = |place: &[i64]| {
        let within = place.iter().zip(&map.extents);
        let inside =
            within.clone().all(|(&at, &extent)| u64::try_from(at).is_ok_and(|at| at < extent));
        inside.then(|| {
            let outer = place[1..].iter().zip(&map.strides);
            let distance = outer.map(|(&at, &stride)| (at as u64).wrapping_mul(stride));
            let inner = (place[0] as u64).wrapping_mul(size);
            distance.fold(map.address.wrapping_add(inner), u64::wrapping_add)
        })
    };
    // Pixels are not copied: the instructions for them are refused.
    let Pieces::Box(extents) = &map.pieces else { return None };
    // The innermost dimension has no steps.
    let step = |dimension: usize| if dimension == 0 { 1 } else { map.steps[dimension].max(1) };
    let counts: Vec<u64> = (0..at.len())
        .map(|dimension| u64::from(extents[dimension].div_ceil(step(dimension))))
        .collect();
    let pitch = pitch(map, counts[0] * size);
    let total = counts.iter().fold(size, |all, &count| all.saturating_mul(count)) / size;
    if total > CLUSTER_SPAN {
        return None;
    }
    let mut list = Vec::new();
    for index in 0..total {
        let mut rest = index;
        let place: Vec<i64> = (0..at.len())
            .map(|dimension| {
                let own = rest % counts[dimension];
                rest /= counts[dimension];
                at[dimension] + (own * u64::from(step(dimension))) as i64
            })
            .collect();
        let (line, within) = (index / counts[0], index % counts[0]);
        list.push((address(&place), line * pitch + within * size));
    }
    Some((list, total * size))
}

/// `cp.async.bulk.tensor` and `cp.reduce.async.bulk.tensor`
pub(super) fn tensor(
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
        let mut words = [0; WORDS];
        for (index, word) in words.iter_mut().enumerate() {
            let at = [maps[lane] + 8 * index as u64; 32];
            let mut out = [0; 32];
            reach::load(warp, shared, (Space::Generic, 1 << lane), &at, 8, &mut out)?;
            *word = out[lane];
        }
        let map = Map::decode(&words).ok_or(Fault::IllegalInstruction)?;
        let value = |src| warp.row(shared.kernel, group, src)[lane];
        let at: Vec<i64> = op.at.iter().map(|&src| i64::from(value(src) as u32 as i32)).collect();
        if at.len() != map.extents.len() || map.interleave != 0 || map.swizzle > 3 {
            return Err(Fault::IllegalInstruction);
        }
        let (elements, total) = elements(&map, &at).ok_or(Fault::IllegalInstruction)?;
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
