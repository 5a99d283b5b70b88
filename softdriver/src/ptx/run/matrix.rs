//! `mma` and `ldmatrix`.

use super::super::code::{Access, Element, MatrixOp, Slot, Src};
use super::super::ops::{self, Row};
use super::Fault;
use super::access;
use super::block::Shared;
use super::warp::{Group, Warp};

/// The rows of `a` and `d`, and the columns of `b` and `d`.
const ROWS: usize = 16;
const COLUMNS: usize = 8;

/// Multiplies: sums of exact products in f64, rounded once at the end.
pub(super) fn multiply(
    warp: &mut Warp,
    shared: &Shared<'_>,
    group: Group,
    mask: u32,
    op: &MatrixOp,
) {
    let kernel = shared.kernel;
    let mut sums = [[0f64; COLUMNS]; ROWS];
    let (mut a, mut b) = ([[0f64; 16]; ROWS], [[0f64; COLUMNS]; 16]);
    // How many elements a register holds, and how far its next one is.
    let (parts, step) = if op.element == Element::TF32 { (1, 4) } else { (2, 8) };
    let element = |register: u64, part: usize| match op.element {
        Element::F16 => ops::value_f16(register >> (16 * part) & 0xffff),
        Element::BF16 => f64::from(f32::from_bits(((register >> (16 * part)) as u32) << 16)),
        Element::TF32 => f64::from(f32::from_bits(register as u32 & !0x1fff)),
    };
    let row = |src: &Src| -> Row { *warp.row(kernel, group, *src) };
    for (register, src) in op.a.iter().enumerate() {
        for (lane, &value) in row(src).iter().enumerate() {
            for part in 0..parts {
                let column = (register / 2) * step + (lane % 4) * parts + part;
                a[lane / 4 + 8 * (register % 2)][column] = element(value, part);
            }
        }
    }
    for (register, src) in op.b.iter().enumerate() {
        for (lane, &value) in row(src).iter().enumerate() {
            for part in 0..parts {
                b[register * step + (lane % 4) * parts + part][lane / 4] = element(value, part);
            }
        }
    }
    // Each register of f32 holds one element, of f16 two.
    let place = |register: usize, lane: usize, part: usize| match op.half {
        true => (lane / 4 + 8 * register, (lane % 4) * 2 + part),
        false => (lane / 4 + 8 * (register / 2), (lane % 4) * 2 + register % 2),
    };
    for (register, src) in op.c.iter().enumerate() {
        for (lane, &value) in row(src).iter().enumerate() {
            for part in 0..if op.half { 2 } else { 1 } {
                let (y, x) = place(register, lane, part);
                sums[y][x] = match op.half {
                    true => ops::value_f16(value >> (16 * part) & 0xffff),
                    false => f64::from(f32::from_bits(value as u32)),
                };
            }
        }
    }
    for (y, sums) in sums.iter_mut().enumerate() {
        for (x, sum) in sums.iter_mut().enumerate() {
            *sum += (0..usize::from(op.depth)).map(|k| a[y][k] * b[k][x]).sum::<f64>();
        }
    }
    for (register, &d) in op.d.iter().enumerate() {
        let out = std::array::from_fn(|lane| {
            let value = |part| {
                let (y, x) = place(register, lane, part);
                sums[y][x]
            };
            match op.half {
                true => ops::bits_f16(value(0)) | ops::bits_f16(value(1)) << 16,
                false => {
                    let value = value(0) as f32;
                    if value.is_nan() { 0x7fff_ffff } else { u64::from(value.to_bits()) }
                }
            }
        });
        warp.put(group, d, mask, &out);
    }
}

/// Loads matrices of 8 rows of 16 bytes, whose addresses lanes give in turn.
pub(super) fn load(
    warp: &mut Warp,
    shared: &Shared<'_>,
    group: Group,
    mask: u32,
    (access, transposed): (&Access, bool),
    d: &[Slot],
) -> Result<(), Fault> {
    let mut at = [0; 32];
    warp.addresses(shared, group, access.address, &mut at);
    for (matrix, &d) in d.iter().enumerate() {
        let half = |row: usize, column: usize| {
            let address = at[matrix * 8 + row];
            if address % 16 != 0 {
                return Err(Fault::MisalignedAddress);
            }
            access::read(&shared.memory, address.wrapping_add(2 * column as u64), 2)
        };
        let mut out = [0; 32];
        for (lane, out) in out.iter_mut().enumerate() {
            let (row, column) = (lane / 4, lane % 4 * 2);
            let pair = match transposed {
                false => (half(row, column)?, half(row, column + 1)?),
                true => (half(column, row)?, half(column + 1, row)?),
            };
            *out = pair.0 | pair.1 << 16;
        }
        warp.put(group, d, mask, &out);
    }
    Ok(())
}
