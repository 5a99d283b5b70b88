//! Words in any state space, for instructions that touch more than one place at a time.

use super::super::code::{CLUSTER_SPAN, Space};
use super::super::ops::Row;
use super::super::ops::lanes::lanes;
use super::Fault;
use super::access::{by_space, read, write};
use super::block::Shared;
use super::warp::Warp;

/// The memory of the block of the cluster that an address in its shared memory is of, and the place in it.
pub(super) fn block<'s>(shared: &'s Shared<'_>, address: u64) -> Result<(&'s [u8], u64), Fault> {
    let (block, offset) = (address / CLUSTER_SPAN, address % CLUSTER_SPAN);
    let memory = match shared.cluster.peer(block) {
        None => &shared.memory,
        Some(rank) => shared.cluster.memories.get(rank).ok_or(Fault::IllegalAddress)?,
    };
    Ok((memory, offset))
}

/// The same, to write.
pub(super) fn block_mut<'s>(
    shared: &'s mut Shared<'_>,
    address: u64,
) -> Result<(&'s mut [u8], u64), Fault> {
    let (block, offset) = (address / CLUSTER_SPAN, address % CLUSTER_SPAN);
    let memory = match shared.cluster.peer(block) {
        None => &mut shared.memory,
        Some(rank) => shared.cluster.memories.get_mut(rank).ok_or(Fault::IllegalAddress)?,
    };
    Ok((memory, offset))
}

/// Loads a word of 1, 2, 4 or 8 bytes for each lane of a mask.
pub(super) fn load(
    warp: &Warp,
    shared: &Shared<'_>,
    (space, mask): (Space, u32),
    at: &Row,
    size: usize,
    out: &mut Row,
) -> Result<(), Fault> {
    by_space(space, at, mask, |space, at, mask| {
        if matches!(space, Space::Global | Space::Generic) {
            return shared.launch.memory.load(at, mask, size, out);
        }
        for lane in lanes(mask) {
            let (bytes, at) = match space {
                Space::Local => (&warp.local[lane][..], at[lane]),
                Space::Param => (shared.launch.params, at[lane]),
                _ => block(shared, at[lane])?,
            };
            out[lane] = read(bytes, at, size)?;
        }
        Ok(())
    })
}

/// Stores words, likewise.
pub(super) fn store(
    warp: &mut Warp,
    shared: &mut Shared<'_>,
    (space, mask): (Space, u32),
    at: &Row,
    size: usize,
    values: &Row,
) -> Result<(), Fault> {
    by_space(space, at, mask, |space, at, mask| {
        if matches!(space, Space::Global | Space::Generic) {
            return shared.launch.memory.store(at, mask, size, values);
        }
        for lane in lanes(mask) {
            let (bytes, at) = match space {
                Space::Local => (&mut warp.local[lane][..], at[lane]),
                Space::Param => return Err(Fault::IllegalAddress),
                _ => block_mut(shared, at[lane])?,
            };
            write(bytes, at, size, values[lane])?;
        }
        Ok(())
    })
}
