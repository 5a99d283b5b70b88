//! Products of small matrices by a whole warp: `mma` and `ldmatrix`.

use super::super::code::{Access, Element, MatrixOp, Op, Order, Space};
use super::super::tree::Operand;
use super::super::types::Type;
use super::modifiers::Modifiers;
use super::operand::exactly;
use super::{Body, Lowered, Refusal, refuse};

impl<'s> Body<'_, 's> {
    pub(super) fn matrix(
        &mut self,
        m: &mut Modifiers<'_>,
        operands: &[Operand<'s>],
    ) -> Lowered<()> {
        if m.head == "ldmatrix" { self.load_matrix(m, operands) } else { self.mma(m, operands) }
    }

    fn mma(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        let shape = |m: &mut Modifiers<'_>| m.take("sync") && m.take("aligned");
        if !shape(m) {
            return Err(Refusal::Unsupported);
        }
        let depth = match m.take_any(&["m16n8k4", "m16n8k8", "m16n8k16"]) {
            Some("m16n8k4") => 4,
            Some("m16n8k8") => 8,
            Some(_) => 16,
            None => return Err(Refusal::Unsupported),
        };
        if !(m.take("row") && m.take("col")) {
            return Err(Refusal::Unsupported);
        }
        let (to, a, b) = (m.next(), m.next(), m.next());
        let from = m.next();
        m.end()?;
        let element = match a {
            "f16" => Element::F16,
            "bf16" => Element::BF16,
            "tf32" => Element::TF32,
            _ => return Err(Refusal::Unsupported),
        };
        let fit = match (element, depth) {
            (Element::F16 | Element::BF16, 8 | 16) | (Element::TF32, 4 | 8) => a == b,
            _ => false,
        };
        let half = to == "f16" && element == Element::F16;
        if !fit || to != from || !(half || to == "f32") {
            return Err(Refusal::Unsupported);
        }
        let target = if element == Element::F16 && depth == 8 { 75 } else { 80 };
        if self.scene.source.target < target {
            return refuse(format!(
                "Feature 'mma' of this shape requires .target sm_{target} or higher"
            ));
        }
        let wide = if element == Element::TF32 { depth / 4 } else { depth / 8 };
        let [d, a, b, c] = exactly(operands)?;
        let (ty, count) = if half { (Type::B32, 2) } else { (Type::F32, 4) };
        let list = |operand: &Operand<'s>, count: usize| match operand {
            Operand::Vector(list) if list.len() == count => Ok(list.clone()),
            _ => refuse("Arguments mismatch: the vector's length"),
        };
        let d = list(d, count)?.iter().map(|one| self.d(one, ty)).collect::<Lowered<_>>()?;
        let mut sources = |operand, count, ty| {
            list(operand, count)?.iter().map(|one| self.src(one, ty)).collect::<Lowered<Box<[_]>>>()
        };
        let a = sources(a, 2 * wide, Type::B32)?;
        let b = sources(b, wide, Type::B32)?;
        let c = sources(c, count, ty)?;
        self.push(Op::Matrix(Box::new(MatrixOp { element, half, depth: depth as u8, d, a, b, c })));
        Ok(())
    }

    fn load_matrix(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
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
        m.take_any(&["shared", "shared::cta"]).ok_or(Refusal::Unsupported)?;
        if m.end_type()? != Type::B16 {
            return Err(Refusal::Unsupported);
        }
        let [Operand::Vector(list), address] = exactly(operands)? else {
            return refuse("Arguments mismatch: a vector is expected");
        };
        if list.len() != count {
            return refuse("Arguments mismatch: the vector's length");
        }
        let d = list.iter().map(|one| self.d(one, Type::B32)).collect::<Lowered<_>>()?;
        let (address, space) = self.place(address, Space::Shared)?;
        let access = Access { space, address, bytes: 16, count: 1, order: Order::Weak };
        self.push(Op::LoadMatrix { access, d, transposed });
        Ok(())
    }
}
