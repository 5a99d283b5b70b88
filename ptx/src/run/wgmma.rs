//! `wgmma.mma_async`: a product of matrices in shared memory, which a warp has 16 rows of.

use super::super::code::Src;
use super::super::fragment::{Element, Factor, Source, WgmmaOp};
use super::Fault;
use super::access::read;
use super::block::Shared;
use super::matrix::{Matrix, accumulate, gathered, scattered, spread, value};
use super::warp::{Group, Warp};

/// How a matrix lies in shared memory. Lines are what its elements follow one another in.
struct Layout {
    start: u64,
    /// From one group of bytes of a line to the next.
    leading: u64,
    /// From one group of eight lines to the next.
    stride: u64,
    /// Bytes of a line that lie together.
    width: u64,
    swizzle: u64,
}

impl Layout {
    fn of(descriptor: u64) -> Self {
        let field = |shift: u32| (descriptor >> shift & 0x3fff) << 4;
        let swizzle = descriptor >> 62;
        let width = match swizzle {
            0 => 16,
            1 => 128,
            2 => 64,
            _ => 32,
        };
        Self { start: field(0), leading: field(16), stride: field(32), width, swizzle }
    }

    /// The address of a byte of a line, of a matrix whose lines are the ones that are multiplied.
    fn along(&self, line: u64, byte: u64) -> u64 {
        let (group, within) = (byte / self.width, byte % self.width);
        let at = line / 8 * self.stride + line % 8 * self.width + group * self.leading + within;
        self.swizzled(at)
    }

    /// The same, of a matrix whose lines are what the products are summed over.
    fn across(&self, line: u64, byte: u64) -> u64 {
        let (group, within) = (byte / self.width, byte % self.width);
        // Without a swizzle, both strides change places.
        let (groups, eights) = match self.swizzle {
            0 => (self.stride, self.leading),
            _ => (self.leading, self.stride),
        };
        self.swizzled(group * groups + line / 8 * eights + line % 8 * self.width + within)
    }

    fn swizzled(&self, at: u64) -> u64 {
        let at = self.start + at;
        let bits = match self.swizzle {
            0 => 0,
            1 => 0x70,
            2 => 0x30,
            _ => 0x10,
        };
        at ^ (at >> 3 & bits)
    }
}

/// The value of row `row` (of `a`, or column of `b`) and depth `k`.
fn element(
    shared: &Shared<'_>,
    layout: &Layout,
    (element, across): (Element, bool),
    (row, k): (usize, usize),
) -> Result<f64, Fault> {
    let bits = element.bits();
    let (line, within) = if across { (k, row) } else { (row, k) };
    let bit = within * bits;
    let (line, byte) = (line as u64, (bit / 8) as u64);
    let at = if across { layout.across(line, byte) } else { layout.along(line, byte) };
    let word = read(&shared.memory, at, bits.div_ceil(8))?;
    Ok(value(element, word >> (bit % 8)))
}

pub(super) fn multiply(
    warp: &mut Warp,
    shared: &Shared<'_>,
    group: Group,
    mask: u32,
    op: &WgmmaOp,
) -> Result<(), Fault> {
    let kernel = shared.kernel;
    let lane = mask.trailing_zeros() as usize;
    let first = |warp: &Warp, src: Src| warp.row(kernel, group, src)[lane];
    let columns = op.to.columns;
    let sign = |negated: bool| if negated { -1.0 } else { 1.0 };
    let mut a = match &op.a {
        Source::Registers(factor) => gathered(warp, shared, group, factor),
        Source::Memory(descriptor, across) => {
            let layout = Layout::of(first(warp, *descriptor));
            let mut a = Matrix::zero(16, op.kept);
            let rows = warp.index as usize % 4 * 16;
            for (row, k) in (0..16).flat_map(|row| (0..op.kept).map(move |k| (row, k))) {
                let at = (rows + row, k);
                a.set((row, k), element(shared, &layout, (op.elements.0, *across), at)?);
            }
            a
        }
    };
    if let Some(sparse) = &op.sparse {
        a = spread(warp, shared, group, sparse, (&a, op.elements.0));
    }
    let layout = Layout::of(first(warp, op.b.0));
    let mut b = Matrix::zero(op.depth, columns);
    for (k, column) in (0..op.depth).flat_map(|k| (0..columns).map(move |column| (k, column))) {
        let one = element(shared, &layout, (op.elements.1, op.b.1), (column, k))?;
        b.set((k, column), one * sign(op.negated.1));
    }
    a.values.iter_mut().for_each(|value| *value *= sign(op.negated.0));
    let registers = op.d.iter().map(|&slot| Src::register(slot)).collect();
    let mut sums = match first(warp, op.adds) {
        0 => Matrix::zero(16, columns),
        _ => gathered(warp, shared, group, &Factor { fragment: op.to, registers }),
    };
    accumulate((&a, &b, &mut sums), |_, column| column, (op.sum, op.to.element));
    scattered(warp, (group, mask), &op.to, &op.d, op.finite, &sums);
    Ok(())
}
