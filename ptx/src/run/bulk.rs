//! `cp.async.bulk` and its kin: copies that are made at once.

use super::super::bulk::{BulkOp, SendOp, Told};
use super::super::code::{CLUSTER_SPAN, Space, Update};
use super::super::ops::Row;
use super::super::ops::lanes::lanes;
use super::Fault;
use super::access::{addresses, order, read, write};
use super::block::Shared;
use super::warp::{Group, Warp};
use super::{mbarrier, reach};

/// Bytes in one of the spaces that bulk copies are between.
pub(super) fn bytes_at(
    shared: &Shared<'_>,
    space: Space,
    at: u64,
    out: &mut [u8],
) -> Result<(), Fault> {
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
pub(super) fn put_bytes(
    shared: &mut Shared<'_>,
    space: Space,
    at: u64,
    bytes: &[u8],
) -> Result<(), Fault> {
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
pub(super) fn reduce(
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
pub(super) fn deliver(
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
pub(super) fn told(
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
