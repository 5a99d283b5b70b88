//! `wgmma`: products of matrices in shared memory by four warps, each of which has 16 rows.

use super::super::code::{Op, Src};
use super::super::fragment::{Element, Factor, Fragment, Role, Source, Sum, WgmmaOp};
use super::super::tree::Operand;
use super::super::types::Type;
use super::matrix::shape;
use super::modifiers::Modifiers;
use super::{Body, Lowered, Refusal, refuse};

/// The columns of `a`, of 32 bytes.
const fn depth(element: Element) -> usize {
    256 / element.bits()
}

/// Whether there is a product of such elements.
fn exists(to: Element, a: Element, b: Element, columns: usize) -> bool {
    use Element::*;
    let eights = columns.is_multiple_of(8) && (8..=256).contains(&columns);
    // Products of whole numbers have fewer sizes.
    let sixteens = eights && (columns.is_multiple_of(16) || columns == 8 || columns == 24);
    match (a, b) {
        (F16, F16) => eights && matches!(to, F16 | F32),
        (BF16, BF16) | (TF32, TF32) => eights && to == F32,
        (B1, B1) => sixteens && to == S32,
        _ if a.is_float8() && b.is_float8() => eights && matches!(to, F16 | F32),
        _ => a.is_byte() && b.is_byte() && sixteens && to == S32,
    }
}

/// A constant of a few choices.
fn constant(operand: &Operand<'_>, choices: [i64; 2]) -> Lowered<bool> {
    match *operand {
        Operand::Int(value) if value.cast_signed() == choices[0] => Ok(false),
        Operand::Int(value) if value.cast_signed() == choices[1] => Ok(true),
        _ => refuse(format!("Arguments mismatch: {} or {} is expected", choices[0], choices[1])),
    }
}

impl<'s> Body<'_, 's> {
    pub(super) fn wgmma(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        let which = m.next();
        if which == "mma_async" {
            return self.wgmma_mma(m, operands);
        }
        if !["fence", "commit_group", "wait_group"].contains(&which) || !m.take("sync") {
            return Err(Refusal::Unsupported);
        }
        m.take("aligned");
        m.end()?;
        self.specific()?;
        match (which, operands) {
            ("wait_group", [Operand::Int(_)]) => {}
            ("fence" | "commit_group", []) => {}
            _ => return refuse("Incorrect number of operands, or out of range"),
        }
        // The products are there at once.
        self.push(Op::Nop);
        Ok(())
    }

    fn wgmma_mma(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        let sparse = m.take("sp");
        if !m.take("sync") {
            return Err(Refusal::Unsupported);
        }
        m.take("aligned");
        let (rows, columns, deep) = shape(m.shape())?;
        let finite = m.take("satfinite");
        let element = |m: &mut Modifiers<'_>| Element::named(m.next()).ok_or(Refusal::Unsupported);
        let (to, a, b) = (element(m)?, element(m)?, element(m)?);
        if a == Element::B1 && !(m.take("and") && m.take("popc")) {
            return Err(Refusal::Unsupported);
        }
        m.end()?;
        // Half of the columns of a sparse `a` are left out.
        let kept = depth(a);
        let whole = if sparse { 2 * kept } else { kept };
        let exists = exists(to, a, b, columns) && !(sparse && a == Element::B1);
        if finite && !a.is_byte() || rows != 64 || deep != whole || !exists {
            return Err(Refusal::Unsupported);
        }
        self.specific()?;
        let (first, choice, rest) = match operands {
            [d, a, b, metadata, selector, adds, rest @ ..] if sparse => {
                ((d, a, b, adds), Some((metadata, selector)), rest)
            }
            [d, a, b, adds, rest @ ..] if !sparse => ((d, a, b, adds), None, rest),
            _ => return refuse("Incorrect number of operands"),
        };
        let sparse = match choice {
            Some((metadata, selector)) => Some(self.sparse(metadata, selector, (kept, a))?),
            None => None,
        };
        let (d, from, descriptor, adds) = first;
        let in_registers = matches!(from, Operand::Vector(_));
        let real = to != Element::S32;
        let wide = matches!(a, Element::F16 | Element::BF16);
        let (signs, turns) = match (real, wide, in_registers, rest) {
            (false, _, _, []) => ((false, false), (false, false)),
            (true, false, _, [a, b]) => (self.signs(a, b)?, (false, false)),
            (true, true, true, [a, b, turn]) => {
                (self.signs(a, b)?, (false, constant(turn, [0, 1])?))
            }
            (true, true, false, [a, b, first, second]) => {
                (self.signs(a, b)?, (constant(first, [0, 1])?, constant(second, [0, 1])?))
            }
            _ => return refuse("Incorrect number of operands"),
        };
        let fragment = Fragment::new(Role::C, to, 16, columns);
        let d = self.slots_of(d, fragment.registers(), to)?;
        let source = if in_registers {
            let fragment = Fragment::new(Role::A, a, 16, kept);
            let registers = self.sources_of(from, fragment.registers(), a)?;
            Source::Registers(Factor { fragment, registers })
        } else {
            Source::Memory(self.src(from, Type::B64)?, turns.0)
        };
        let b_source: (Src, bool) = (self.src(descriptor, Type::B64)?, turns.1);
        let adds = match adds {
            Operand::Int(value @ (0 | 1)) => self.constant(*value),
            Operand::Int(_) => return refuse("Arguments mismatch: 0 or 1 is expected"),
            _ => self.src(adds, Type::PRED)?,
        };
        let sum = if a.is_float8() {
            Sum::Short(a.least_exponent(), b.least_exponent())
        } else {
            Sum::of(a)
        };
        let op = WgmmaOp {
            elements: (a, b),
            depth: deep,
            kept,
            sparse,
            a: source,
            b: b_source,
            negated: signs,
            adds,
            to: fragment,
            d,
            sum,
            finite,
        };
        self.push(Op::Wgmma(Box::new(op)));
        Ok(())
    }

    /// Whether both factors are negated.
    fn signs(&mut self, a: &Operand<'s>, b: &Operand<'s>) -> Lowered<(bool, bool)> {
        Ok((constant(a, [1, -1])?, constant(b, [1, -1])?))
    }
}
