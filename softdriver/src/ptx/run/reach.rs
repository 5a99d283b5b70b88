//! Words in any state space, for instructions that touch more than one place at a time.

use super::super::code::Space;
use super::super::ops::Row;
use super::super::ops::lanes::lanes;
use super::Fault;
use super::access::{by_space, read, write};
use super::block::Shared;
use super::warp::Warp;

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
            let bytes = match space {
                Space::Local => &warp.local[lane],
                Space::Param => shared.launch.params,
                _ => &shared.memory,
            };
            out[lane] = read(bytes, at[lane], size)?;
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
            let bytes = match space {
                Space::Local => &mut warp.local[lane],
                Space::Param => return Err(Fault::IllegalAddress),
                _ => &mut shared.memory,
            };
            write(bytes, at[lane], size, values[lane])?;
        }
        Ok(())
    })
}
