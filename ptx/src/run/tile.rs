//! `wmma.load` and `wmma.store`: matrices between registers and memory.

use super::super::code::Access;
use super::super::fragment::TileOp;
use super::Fault;
use super::block::Shared;
use super::reach;
use super::warp::{Group, Warp};

/// Where the element of a lane's part is: its byte, and its first bit in that.
fn place(op: &TileOp, stride: u64, (row, column): (usize, usize)) -> (u64, usize) {
    let (line, within) = if op.by_rows { (row, column) } else { (column, row) };
    let element = (line as u64).wrapping_mul(stride).wrapping_add(within as u64);
    let bit = element.wrapping_mul(op.fragment.element.bits() as u64);
    (bit / 8, (bit % 8) as usize)
}

/// Loads, or stores if there is nothing to load.
pub(super) fn touch(
    warp: &mut Warp,
    shared: &mut Shared<'_>,
    group: Group,
    mask: u32,
    access: &Access,
    op: &TileOp,
) -> Result<(), Fault> {
    let mut bases = [0; 32];
    warp.addresses(shared, group, access.address, &mut bases);
    let strides = *warp.row(shared.kernel, group, op.stride);
    let width = op.fragment.element.bits();
    let size = width.div_ceil(8);
    let parts = op.fragment.element.parts();
    let mask_of = u64::MAX >> (64 - width.min(64));
    let address = |lane: usize, register: usize, part: usize| {
        let place = op.fragment.place(lane, register, part);
        let (byte, bit) = self::place(op, strides[lane], place);
        (bases[lane].wrapping_add(byte), bit)
    };
    let registers = op.d.len().max(op.a.len());
    for register in 0..registers {
        let stored = op.a.get(register).map(|&a| *warp.row(shared.kernel, group, a));
        let mut out = [0; 32];
        for part in 0..parts {
            let at: [(u64, usize); 32] = std::array::from_fn(|lane| address(lane, register, part));
            let bytes = at.map(|(byte, _)| byte);
            if bytes.iter().any(|byte| byte % size as u64 != 0) {
                return Err(Fault::MisalignedAddress);
            }
            match &stored {
                Some(words) => {
                    let values = words.map(|word| word >> (width * part) & mask_of);
                    reach::store(warp, shared, (access.space, mask), &bytes, size, &values)?;
                }
                None => {
                    let mut words = [0; 32];
                    reach::load(warp, shared, (access.space, mask), &bytes, size, &mut words)?;
                    for (lane, word) in words.iter().enumerate() {
                        out[lane] |= (word >> at[lane].1 & mask_of) << (width * part);
                    }
                }
            }
        }
        if stored.is_none() {
            warp.put(group, op.d[register], mask, &out);
        }
    }
    Ok(())
}
