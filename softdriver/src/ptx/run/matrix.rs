//! Products of matrices (`mma` and `wmma.mma`), and matrices in shared memory (`ldmatrix`, `stmatrix`).

use super::super::code::{Access, Slot, Src};
use super::super::fragment::{Element, Factor, Fragment, MatrixOp, Sparse, Sum};
use super::super::ops::{self, Row};
use super::Fault;
use super::access;
use super::block::Shared;
use super::warp::{Group, Warp};

/// A matrix of values, which f64 holds exactly.
pub(super) struct Matrix {
    pub(super) columns: usize,
    pub(super) values: Vec<f64>,
}

impl Matrix {
    pub(super) fn zero(rows: usize, columns: usize) -> Self {
        Self { columns, values: vec![0.0; rows * columns] }
    }

    pub(super) fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.columns..][..self.columns]
    }

    pub(super) fn set(&mut self, (row, column): (usize, usize), value: f64) {
        self.values[row * self.columns + column] = value;
    }

    pub(super) fn get(&self, (row, column): (usize, usize)) -> f64 {
        self.values[row * self.columns + column]
    }
}

/// The value of an element's bits.
pub(crate) fn value(element: Element, bits: u64) -> f64 {
    let signed = |width: u32| ((bits << (64 - width)).cast_signed() >> (64 - width)) as f64;
    match element {
        Element::F16 => ops::value_f16(bits & 0xffff),
        Element::BF16 => f64::from(f32::from_bits((bits as u32) << 16)),
        Element::TF32 => f64::from(f32::from_bits(bits as u32 & !0x1fff)),
        Element::F32 => f64::from(f32::from_bits(bits as u32)),
        Element::F64 => f64::from_bits(bits),
        // The high byte of an f16.
        Element::E5m2 => ops::value_f16((bits & 0xff) << 8),
        Element::E4m3 => {
            let (exponent, fraction) = ((bits >> 3 & 0xf) as i32, (bits & 7) as f64);
            let size = match exponent {
                15 if bits & 7 == 7 => f64::NAN,
                0 => fraction / 512.0,
                _ => (8.0 + fraction) * 2f64.powi(exponent - 10),
            };
            if bits & 0x80 == 0 { size } else { -size }
        }
        Element::S8 => signed(8),
        Element::S4 => signed(4),
        Element::S32 => f64::from(bits as u32 as i32),
        Element::U8 => (bits & 0xff) as f64,
        Element::U4 => (bits & 0xf) as f64,
        Element::B1 => (bits & 1) as f64,
    }
}

/// The bits of an element of a value, which becomes the nearest one.
pub(crate) fn bits(element: Element, value: f64, finite: bool) -> u64 {
    match element {
        Element::F16 => {
            let value =
                if finite && !value.is_nan() { value.clamp(-65504.0, 65504.0) } else { value };
            ops::bits_f16(value)
        }
        Element::F64 => value.to_bits(),
        // Sums of products of integers are far below 2^53.
        Element::S32 if finite => u64::from((value as i32).cast_unsigned()),
        Element::S32 => u64::from(value as i64 as u32),
        _ => {
            let value = value as f32;
            if value.is_nan() { 0x7fff_ffff } else { u64::from(value.to_bits()) }
        }
    }
}

/// The matrix that registers hold.
pub(super) fn gathered(warp: &Warp, shared: &Shared<'_>, group: Group, factor: &Factor) -> Matrix {
    let Factor { fragment, registers } = factor;
    let mut matrix = Matrix::zero(fragment.rows, fragment.columns);
    let (parts, width) = (fragment.element.parts(), fragment.element.bits());
    for (register, &src) in registers.iter().enumerate() {
        for (lane, &word) in warp.row(shared.kernel, group, src).iter().enumerate() {
            for part in 0..parts {
                let place = fragment.place(lane, register, part);
                matrix.set(place, value(fragment.element, word >> (width * part)));
            }
        }
    }
    matrix
}

/// Puts a matrix into registers.
pub(super) fn scattered(
    warp: &mut Warp,
    (group, mask): (Group, u32),
    fragment: &Fragment,
    d: &[Slot],
    finite: bool,
    matrix: &Matrix,
) {
    let (parts, width) = (fragment.element.parts(), fragment.element.bits());
    for (register, &d) in d.iter().enumerate() {
        let out = std::array::from_fn(|lane| {
            (0..parts).fold(0, |word, part| {
                let value = matrix.get(fragment.place(lane, register, part));
                word | bits(fragment.element, value, finite) << (width * part)
            })
        });
        warp.put(group, d, mask, &out);
    }
}

/// A product of a row and a column, added to a value.
pub(super) fn dot(sum: Sum, c: f64, pairs: impl Iterator<Item = (f64, f64)>) -> f64 {
    match sum {
        Sum::Once => c + pairs.map(|(a, b)| a * b).sum::<f64>(),
        Sum::InTurn => pairs.fold(c, |sum, (a, b)| a.mul_add(b, sum)),
        Sum::Xor => c + pairs.map(|(a, b)| (a - b).abs()).sum::<f64>(),
    }
}

/// Multiplies: sums of exact products in f64, rounded once at the end, but for products of f64.
pub(super) fn multiply(
    warp: &mut Warp,
    shared: &Shared<'_>,
    group: Group,
    mask: u32,
    op: &MatrixOp,
) {
    let of = |factor| gathered(warp, shared, group, factor);
    let (mut a, b, mut sums) = (of(&op.a), of(&op.b), of(&op.c));
    if let Some(sparse) = &op.sparse {
        a = spread(warp, shared, group, sparse, (&a, op.a.fragment.element));
    }
    let quads = op.to.quads.is_some();
    for y in 0..op.to.rows {
        for x in 0..op.to.columns {
            // Each of four products has eight columns of its own.
            let column = if quads { y / 8 * 8 + x } else { x };
            let pairs = a.row(y).iter().enumerate().map(|(k, &a)| (a, b.get((k, column))));
            let sum = dot(op.sum, sums.get((y, x)), pairs);
            sums.set((y, x), sum);
        }
    }
    scattered(warp, (group, mask), &op.to, &op.d, op.finite, &sums);
}

/// A sparse matrix with the columns that it leaves out.
fn spread(
    warp: &Warp,
    shared: &Shared<'_>,
    group: Group,
    sparse: &Sparse,
    (a, element): (&Matrix, Element),
) -> Matrix {
    let metadata = warp.row(shared.kernel, group, sparse.metadata);
    let rows = a.values.len() / a.columns;
    let mut whole = Matrix::zero(rows, 2 * a.columns);
    for row in 0..rows {
        for column in 0..a.columns {
            let at = place_in_metadata(sparse.selector, element, a.columns, row, column);
            let field = metadata[at.0] >> at.1;
            let to = match element {
                // One of two.
                Element::TF32 => column * 2 + usize::from(field & 0xf == 0xe),
                // Two pairs of four.
                Element::S4 | Element::U4 => column / 4 * 8 + (field & 3) as usize * 2 + column % 2,
                // Two of four.
                _ => column / 2 * 4 + (field & 3) as usize,
            };
            whole.set((row, to), a.get((row, column)));
        }
    }
    whole
}

/// The lane and the first bit of the number of a column.
fn place_in_metadata(
    selector: u32,
    element: Element,
    columns: usize,
    row: usize,
    column: usize,
) -> (usize, usize) {
    // Bits of a row, from its first column on.
    let (width, index) = match element {
        Element::TF32 => (4, column),
        Element::S4 | Element::U4 => (2, column / 2),
        _ => (2, column),
    };
    let total = match element {
        Element::S4 | Element::U4 => columns,
        _ => columns * width,
    };
    let bit = index * width;
    let quad = row % 8 * 4;
    match total {
        // One lane has both rows.
        16 => (quad + selector as usize, bit + 16 * (row / 8)),
        // Two lanes have half of both rows each.
        32 => (quad + 2 * selector as usize + bit / 16, bit % 16 + 16 * (row / 8)),
        // Four lanes.
        _ => (quad + bit / 16, bit % 16 + 16 * (row / 8)),
    }
}

/// `movmatrix`: the rows become columns.
pub(super) fn transpose(
    warp: &mut Warp,
    shared: &Shared<'_>,
    group: Group,
    mask: u32,
    d: Slot,
    a: Src,
) {
    let a = *warp.row(shared.kernel, group, a);
    let half = |row: usize, column: usize| a[row * 4 + column / 2] >> (16 * (column % 2)) & 0xffff;
    let out: Row = std::array::from_fn(|lane| {
        let (row, column) = (lane / 4, lane % 4 * 2);
        half(column, row) | half(column + 1, row) << 16
    });
    warp.put(group, d, mask, &out);
}

/// Stores matrices of 8 rows of 16 bytes, whose addresses lanes give in turn.
pub(super) fn store(
    warp: &mut Warp,
    shared: &mut Shared<'_>,
    group: Group,
    (access, transposed): (&Access, bool),
    a: &[Src],
) -> Result<(), Fault> {
    let mut at = [0; 32];
    warp.addresses(shared, group, access.address, &mut at);
    for (matrix, &a) in a.iter().enumerate() {
        let a = *warp.row(shared.kernel, group, a);
        for (lane, word) in a.iter().enumerate() {
            for part in 0..2 {
                let (mut row, mut column) = (lane / 4, lane % 4 * 2 + part);
                if transposed {
                    (row, column) = (column, row);
                }
                let address = at[matrix * 8 + row];
                if address % 16 != 0 {
                    return Err(Fault::MisalignedAddress);
                }
                let address = address.wrapping_add(2 * column as u64);
                access::write(&mut shared.memory, address, 2, word >> (16 * part) & 0xffff)?;
            }
        }
    }
    Ok(())
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
