//! Products of small matrices by a whole warp: `mma`, and what moves matrices: `ldmatrix`, `stmatrix`,
//! `movmatrix`.

use super::super::code::{Access, Op, Order, Slot, Space, Src};
use super::super::fragment::{Element, Factor, Fragment, MatrixOp, Role, Sparse, Sum};
use super::super::tree::Operand;
use super::super::types::Type;
use super::modifiers::Modifiers;
use super::operand::exactly;
use super::{Body, Lowered, Refusal, refuse};

/// The rows of `d`, its columns, and the columns of `a`, as in `m16n8k16`.
pub(super) type Shape = (usize, usize, usize);

/// The shape that a modifier names.
pub(super) fn shape(name: &str) -> Lowered<Shape> {
    let parse = || {
        let (m, rest) = name.strip_prefix('m')?.split_once('n')?;
        let (n, k) = rest.split_once('k')?;
        Some((m.parse().ok()?, n.parse().ok()?, k.parse().ok()?))
    };
    parse().ok_or(Refusal::Unsupported)
}

/// The type of the registers of a fragment.
fn register(element: Element) -> Type {
    match element {
        Element::F64 => Type::F64,
        Element::F32 => Type::F32,
        Element::S32 => Type::S32,
        _ => Type::B32,
    }
}

/// The elements of `d`, `a`, `b` and `c`.
type Elements = (Element, Element, Element, Element);

/// Whether there is an `mma` of a shape and such elements.
fn exists((m, n, k): Shape, sparse: bool, (d, a, b, c): Elements) -> bool {
    use Element::*;
    let alike = match a {
        F16 | BF16 | TF32 | F64 | B1 => a == b,
        _ if a.is_byte() => b.is_byte(),
        _ if a.is_nibble() => b.is_nibble(),
        _ => a.is_float8() && b.is_float8(),
    };
    let sums = match a {
        F16 if (m, n, k) == (8, 8, 4) => {
            matches!((d, c), (F16, F16) | (F32, F16 | F32))
        }
        F16 => d == c && matches!(d, F16 | F32),
        BF16 | TF32 => (d, c) == (F32, F32),
        F64 => (d, c) == (F64, F64),
        _ if a.is_float8() => d == c && (d == F32 || d == F16 && !sparse),
        _ => (d, c) == (S32, S32),
    };
    // Without the columns that a sparse `a` leaves out.
    let depth = if sparse { k / 2 } else { k };
    let large = (m, n) == (16, 8);
    let small = (m, n) == (8, 8) && !sparse;
    let shape = match a {
        F16 => large && matches!(depth, 8 | 16) || small && k == 4,
        BF16 => large && matches!(depth, 8 | 16),
        TF32 => large && matches!(depth, 4 | 8),
        F64 => !sparse && (large && matches!(k, 4 | 8 | 16) || small && k == 4),
        B1 => !sparse && (large && matches!(k, 128 | 256) || small && k == 128),
        _ if a.is_float8() => large && matches!(depth, 16 | 32),
        _ if a.is_nibble() => large && matches!(depth, 32 | 64) || small && k == 32,
        _ => large && matches!(depth, 16 | 32) || small && k == 16,
    };
    alike && sums && shape
}

/// The first target that has an `mma`.
fn needs((m, _, k): Shape, sparse: bool, a: Element) -> u32 {
    use Element::*;
    match a {
        _ if a.is_float8() => 89,
        _ if sparse => 80,
        F64 if m == 16 => 90,
        F16 if m == 8 => 70,
        F16 if k == 8 => 75,
        S8 | U8 | S4 | U4 | B1 if m == 8 => 75,
        _ => 80,
    }
}

impl<'s> Body<'_, 's> {
    pub(super) fn matrix(
        &mut self,
        m: &mut Modifiers<'_>,
        operands: &[Operand<'s>],
    ) -> Lowered<()> {
        match m.head {
            "ldmatrix" => self.load_matrix(m, operands),
            "stmatrix" => self.store_matrix(m, operands),
            "movmatrix" => self.move_matrix(m, operands),
            "wmma" => self.wmma(m, operands),
            "wgmma" => self.wgmma(m, operands),
            _ => self.mma(m, operands),
        }
    }

    /// Refuses what targets below one do not have.
    pub(super) fn requires(&self, what: &str, target: u32) -> Lowered<()> {
        if self.scene.source.target >= target {
            return Ok(());
        }
        refuse(format!("Feature '{what}' requires .target sm_{target} or higher"))
    }

    fn mma(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        let sparse = m.take_any(&["sp", "sp::ordered_metadata"]).is_some();
        if !(m.take("sync") && m.take("aligned")) {
            return Err(Refusal::Unsupported);
        }
        let shape = shape(m.shape())?;
        let lines = |m: &mut Modifiers<'_>| m.take_any(&["row", "col"]).ok_or(Refusal::Unsupported);
        let (first, second) = (lines(m)?, lines(m)?);
        let finite = m.take("satfinite");
        let element = |m: &mut Modifiers<'_>| Element::named(m.next()).ok_or(Refusal::Unsupported);
        let elements = (element(m)?, element(m)?, element(m)?, element(m)?);
        let (to, a, b, c) = elements;
        let sum = match a {
            Element::B1 => match (m.take_any(&["xor", "and"]), m.take("popc")) {
                (Some("xor"), true) => Sum::Xor,
                (Some(_), true) => Sum::Exact,
                _ => return Err(Refusal::Unsupported),
            },
            // Two of four columns are left.
            _ if sparse && a.is_float8() => Sum::Halved(4),
            _ => Sum::of(a),
        };
        if a == Element::F64 {
            m.take("rn");
        }
        m.end()?;
        let whole = a.is_byte() || a.is_nibble();
        let quads = a == Element::F16 && shape == (8, 8, 4);
        let straight = (first, second) == ("row", "col");
        if !exists(shape, sparse, elements) || finite && !whole || !straight && !quads {
            return Err(Refusal::Unsupported);
        }
        self.requires("mma with this shape and type", needs(shape, sparse, a))?;
        let (rows, columns, depth) = shape;
        // Four products of 8 by 8 at a time.
        let (rows, columns, wide) = if quads { (32, 8, 32) } else { (rows, columns, columns) };
        let kept = if sparse { depth / 2 } else { depth };
        let mut fragments = [
            Fragment::new(Role::C, to, rows, columns),
            Fragment::new(Role::A, a, rows, kept),
            Fragment::new(Role::B, b, depth, wide),
            Fragment::new(Role::C, c, rows, columns),
        ];
        if quads {
            let by_rows = [true, first == "row", second == "row", true];
            fragments.iter_mut().zip(by_rows).for_each(|(one, by_rows)| one.quads = Some(by_rows));
        }
        let counts = fragments.map(|one| one.registers());
        let (matrices, rest) = match operands {
            [d, a, b, c, rest @ ..] => ([d, a, b, c], rest),
            _ => return refuse("Incorrect number of operands"),
        };
        let sparse = match (sparse, rest) {
            (false, []) => None,
            (true, [metadata, selector]) => Some(self.sparse(metadata, selector, (kept, a))?),
            _ => return refuse("Incorrect number of operands"),
        };
        self.product(fragments, counts, matrices, sum, finite, sparse)
    }

    /// The metadata of a sparse matrix with so many columns left, and which lanes give it.
    pub(super) fn sparse(
        &mut self,
        metadata: &Operand<'s>,
        selector: &Operand<'s>,
        (kept, element): (usize, Element),
    ) -> Lowered<Sparse> {
        let bits = match element {
            Element::TF32 => 4 * kept,
            _ if element.is_nibble() => kept,
            _ => 2 * kept,
        };
        let choices = 64 / bits as u64;
        let Operand::Int(selector) = *selector else {
            return refuse("Arguments mismatch: a constant is expected");
        };
        if selector >= choices {
            return refuse("Invalid sparsity selector");
        }
        let metadata = self.src(metadata, Type::B32)?;
        Ok(Sparse { metadata, selector: selector as u32 })
    }

    /// `d = a * b + c` of fragments, with so many registers each.
    pub(super) fn product(
        &mut self,
        fragments: [Fragment; 4],
        counts: [usize; 4],
        operands: [&Operand<'s>; 4],
        sum: Sum,
        finite: bool,
        sparse: Option<Sparse>,
    ) -> Lowered<()> {
        let [to, a, b, c] = fragments;
        let d = self.slots_of(operands[0], counts[0], to.element)?;
        let mut factor = |fragment: Fragment, at: usize| {
            let registers = self.sources_of(operands[at], counts[at], fragment.element)?;
            Ok(Factor { fragment, registers })
        };
        let (a, b, c) = (factor(a, 1)?, factor(b, 2)?, factor(c, 3)?);
        let op = MatrixOp { a, b, c, to, d, sum, finite, sparse };
        self.push(Op::Matrix(Box::new(op)));
        Ok(())
    }

    /// The registers of a vector that a fragment is loaded to.
    pub(super) fn slots_of(
        &mut self,
        operand: &Operand<'s>,
        count: usize,
        element: Element,
    ) -> Lowered<Box<[Slot]>> {
        listed(operand, count)?.iter().map(|one| self.d(one, register(element))).collect()
    }

    /// The registers of a vector that a fragment is in.
    pub(super) fn sources_of(
        &mut self,
        operand: &Operand<'s>,
        count: usize,
        element: Element,
    ) -> Lowered<Box<[Src]>> {
        listed(operand, count)?.iter().map(|one| self.src(one, register(element))).collect()
    }

    /// Reads the parts that `ldmatrix` and `stmatrix` have in common: the number of matrices, whether they are transposed,
    /// and where they are.
    fn eights(&mut self, m: &mut Modifiers<'_>) -> Lowered<(usize, bool, Space)> {
        if !(m.take("sync") && m.take("aligned") && m.take("m8n8")) {
            return Err(Refusal::Unsupported);
        }
        let count = match m.take_any(&["x1", "x2", "x4"]) {
            Some("x1") => 1,
            Some("x2") => 2,
            Some(_) => 4,
            None => return Err(Refusal::Unsupported),
        };
        let transposed = m.take("trans");
        let space = match m.take_any(&["shared", "shared::cta"]) {
            Some(_) => Space::Shared,
            None => Space::Generic,
        };
        if m.end_type()? != Type::B16 {
            return Err(Refusal::Unsupported);
        }
        Ok((count, transposed, space))
    }

    fn load_matrix(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        let (count, transposed, space) = self.eights(m)?;
        self.requires("ldmatrix", 75)?;
        let [d, address] = exactly(operands)?;
        let d = self.slots_of(d, count, Element::F16)?;
        let (address, space) = self.short_place(address, space)?;
        let access = Access { space, address, bytes: 16, count: 1, order: Order::Weak };
        self.push(Op::LoadMatrix { access, d, transposed });
        Ok(())
    }

    fn store_matrix(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        let (count, transposed, space) = self.eights(m)?;
        self.requires("stmatrix", 90)?;
        let [address, a] = exactly(operands)?;
        let a = self.sources_of(a, count, Element::F16)?;
        let (address, space) = self.short_place(address, space)?;
        let access = Access { space, address, bytes: 16, count: 1, order: Order::Weak };
        self.push(Op::StoreMatrix { access, a, transposed });
        Ok(())
    }

    fn move_matrix(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        if !(m.take("sync") && m.take("aligned") && m.take("m8n8") && m.take("trans")) {
            return Err(Refusal::Unsupported);
        }
        if m.end_type()? != Type::B16 {
            return Err(Refusal::Unsupported);
        }
        self.requires("movmatrix", 75)?;
        let [d, a @ Operand::Name(_)] = exactly(operands)? else {
            return refuse("Arguments mismatch: a register is expected");
        };
        let (d, a) = (self.d(d, Type::B32)?, self.src(a, Type::B32)?);
        self.push(Op::Transpose { d, a });
        Ok(())
    }
}

/// The operands of a vector with so many.
pub(super) fn listed<'o, 's>(operand: &'o Operand<'s>, count: usize) -> Lowered<&'o [Operand<'s>]> {
    match operand {
        Operand::Vector(list) if list.len() == count => Ok(list),
        _ => refuse("Arguments mismatch: the vector's length"),
    }
}
