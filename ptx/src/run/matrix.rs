//! Products of matrices (`mma` and `wmma.mma`), and matrices in shared memory (`ldmatrix`, `stmatrix`).

use super::super::code::{Access, Slot, Space, Src};
use super::super::fragment::{Element, Factor, Fragment, MatrixOp, Sparse, Sum};
use super::super::ops::{self, Row};
use super::Fault;
use super::access;
use super::block::Shared;
use super::reach;
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
pub(crate) fn dot(sum: Sum, c: f64, pairs: &[(f64, f64)]) -> f64 {
    match sum {
        Sum::Exact => c + pairs.iter().map(|(a, b)| a * b).sum::<f64>(),
        Sum::InTurn => pairs.iter().fold(c, |sum, (a, b)| ops::fused(*a, *b, sum)),
        Sum::Xor => c + pairs.iter().map(|(a, b)| (a - b).abs()).sum::<f64>(),
        Sum::Aligned(least) => aligned(c, pairs.iter().copied(), FRACTION, (least, least)),
        Sum::Fours(least) => pairs.chunks(4).fold(c, |c, pairs| {
            truncated(aligned(c, pairs.iter().copied(), FRACTION, (least, least)), 23)
        }),
        Sum::Short(a, b) => aligned(c, pairs.iter().copied(), SHORT, (a, b)),
        Sum::Halved(width) => {
            let some = |second| {
                let pairs = pairs.iter().enumerate();
                pairs.filter(move |(at, _)| at / width % 2 == second).map(|(_, pair)| *pair)
            };
            // The factors have become f16.
            let least = Element::F16.least_exponent();
            let first = truncated(aligned(0.0, some(0), FRACTION, (least, least)), 23);
            let both = truncated(aligned(first, some(1), FRACTION, (least, least)), 23);
            f64::from((both + c) as f32)
        }
    }
}

/// The bits of the largest term after its first that tensor cores keep.
const FRACTION: i32 = 25;
/// The same, for products of FP8 by `wgmma`.
const SHORT: i32 = 13;

/// The exponent of a value's first bit.
const fn exponent(value: f64) -> i32 {
    (value.to_bits() >> 52 & 0x7ff) as i32 - 1023
}

/// The sum as tensor cores form it: the terms lose what is smaller than a bit of the largest one, and are
/// added exactly then. The exponent of a product is the sum of those of its factors.
fn aligned(
    c: f64,
    pairs: impl Iterator<Item = (f64, f64)> + Clone,
    fraction: i32,
    least: (i32, i32),
) -> f64 {
    let products = pairs.clone().filter(|(a, b)| *a != 0.0 && *b != 0.0);
    let exponents = products.map(|(a, b)| exponent(a).max(least.0) + exponent(b).max(least.1));
    let own = if c == 0.0 { i32::MIN } else { exponent(c).max(Element::F32.least_exponent()) };
    let largest = exponents.fold(own, i32::max);
    let total = pairs.clone().map(|(a, b)| a * b).sum::<f64>() + c;
    // Zeros, infinities and what is no number.
    if largest == i32::MIN || !total.is_finite() {
        return total;
    }
    let (unit, scale) = (2f64.powi(largest - fraction), 2f64.powi(fraction - largest));
    let whole = pairs.map(|(a, b)| (a * b * scale).trunc()).sum::<f64>() + (c * scale).trunc();
    whole * unit
}

/// A value cut off to an f32, of which so many bits of the fraction are left.
fn truncated(value: f64, fraction: u32) -> f64 {
    let mut near = value as f32;
    if f64::from(near).abs() > value.abs() && near.is_finite() {
        near = f32::from_bits(near.to_bits() - 1);
    }
    if !near.is_finite() {
        return near.into();
    }
    f64::from(f32::from_bits(near.to_bits() & (u32::MAX << (23 - fraction))))
}

/// A sum as tensor cores cut it off to an f32.
pub(crate) fn cut(sum: Sum, element: Element, value: f64) -> f64 {
    match (sum, element) {
        (Sum::Aligned(_), Element::F32) => truncated(value, 23),
        (Sum::Short(..), Element::F32) => truncated(value, 13),
        _ => value,
    }
}

/// Multiplies.
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
    let columns = |y: usize, x: usize| if quads { y / 8 * 8 + x } else { x };
    accumulate((&a, &b, &mut sums), columns, (op.sum, op.to.element));
    scattered(warp, (group, mask), &op.to, &op.d, op.finite, &sums);
}

/// Adds a product to sums: a row of `a` by the column of `b` that `columns` gives.
pub(super) fn accumulate(
    (a, b, sums): (&Matrix, &Matrix, &mut Matrix),
    columns: impl Fn(usize, usize) -> usize,
    (sum, element): (Sum, Element),
) {
    let mut pairs = vec![(0.0, 0.0); a.columns];
    for y in 0..sums.values.len() / sums.columns {
        for x in 0..sums.columns {
            // Four products at a time have eight columns each.
            let column = columns(y, x);
            for (k, (pair, &a)) in pairs.iter_mut().zip(a.row(y)).enumerate() {
                *pair = (a, b.get((k, column)));
            }
            let value = dot(sum, sums.get((y, x)), &pairs);
            sums.set((y, x), cut(sum, element, value));
        }
    }
}

/// A sparse matrix with the columns that it leaves out.
pub(super) fn spread(
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
    let (bit, quad, half) = (index * width, row % 8 * 4, row / 8);
    let selector = selector as usize;
    if element.bits() < 16 {
        // Lanes have words of one row, in turn.
        return (quad + (2 * selector + 2 * (bit / 32) + half) % 4, bit % 32);
    }
    // A lane has a half of a word of both rows.
    let lane = if columns * width == 16 { selector } else { 2 * selector + bit / 16 };
    (quad + lane, bit % 16 + 16 * half)
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
                let value = word >> (16 * part) & 0xffff;
                if access.space == Space::Shared {
                    access::write(&mut shared.memory, address, 2, value)?;
                } else {
                    reach::store(warp, shared, (access.space, 1), &[address; 32], 2, &[value; 32])?;
                }
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
            let address = address.wrapping_add(2 * column as u64);
            if access.space == Space::Shared {
                return access::read(&shared.memory, address, 2);
            }
            let mut out = [0; 32];
            reach::load(warp, shared, (access.space, 1), &[address; 32], 2, &mut out)?;
            Ok(out[0])
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
