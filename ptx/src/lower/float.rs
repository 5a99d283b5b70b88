//! Floating-point instructions.

use super::super::code::{Op, Src};
use super::super::ops;
use super::super::tree::Operand;
use super::super::types::{Kind, Type};
use super::contract::What;
use super::modifiers::Modifiers;
use super::operand::exactly;
use super::{Body, Lowered, Refusal};

/// `.rn` alone.
const NEAREST: ops::Modifiers = ops::Modifiers {
    rounding: Some(ops::Rounding::Nearest),
    approximate: false,
    ftz: false,
    sat: false,
    relu: false,
    nan: false,
};

impl<'s> Body<'_, 's> {
    pub(super) fn float(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        if m.head == "testp" {
            return self.testp(m, operands);
        }
        let opcode = m.head;
        let modifiers = m.float();
        let signs = matches!(opcode, "min" | "max") && m.take("xorsign");
        if signs && !m.take("abs") {
            return Err(Refusal::Unsupported);
        }
        let ty = m.end_type()?;
        if !permitted(opcode, ty, modifiers) {
            return Err(Refusal::Unsupported);
        }
        match opcode {
            "fma" | "mad" => {
                self.ternary_op(ops::float_ternary(opcode, ty, modifiers), [ty; 4], operands)
            }
            "min" | "max" if signs => self.xorsign(opcode, ty, modifiers, operands),
            "min" | "max" if operands.len() == 4 => self.three_way(opcode, ty, modifiers, operands),
            "add" | "sub" | "mul" | "div" | "min" | "max" | "copysign" => {
                self.binary_op(ops::float_binary(opcode, ty, modifiers), [ty; 3], operands)
            }
            _ => self.unary_op(ops::float_unary(opcode, ty, modifiers), ty, ty, operands),
        }?;
        let exact = modifiers.rounding.is_some();
        let what = match opcode {
            "mul" if !exact => What::Product,
            "add" if !exact => What::Sum,
            "sub" if !exact => What::Difference,
            "neg" => What::Negative,
            "fma" if ty == Type::F32 && modifiers == NEAREST => What::Fused,
            "div" | "rcp" | "sqrt" if exact => What::Break,
            "rsqrt" if ty == Type::F64 && !modifiers.ftz => What::Break,
            _ => return Ok(()),
        };
        self.note(what, ty, modifiers);
        Ok(())
    }

    /// `min` and `max` of magnitudes, with the product of the signs.
    fn xorsign(
        &mut self,
        opcode: &str,
        ty: Type,
        m: ops::Modifiers,
        operands: &[Operand<'s>],
    ) -> Lowered<()> {
        self.requires("xorsign.abs", 86)?;
        let (size, sign): (ops::Unary, ops::Binary) = match (ty.bytes, ty.kind) {
            (8, _) => return Err(Refusal::Unsupported),
            (4, Kind::Float) => {
                (&|a: u64| a & 0x7fff_ffff, &|a: u64, b: u64| (a ^ b) & 0x8000_0000)
            }
            (4, _) => (&|a: u64| a & 0x7fff_7fff, &|a: u64, b: u64| (a ^ b) & 0x8000_8000),
            _ => (&|a: u64| a & 0x7fff, &|a: u64, b: u64| (a ^ b) & 0x8000),
        };
        let f = ops::float_binary(opcode, ty, m).ok_or(Refusal::Unsupported)?;
        let [d, a, b] = exactly(operands)?;
        let (d, a, b) = (self.d(d, ty)?, self.src(a, ty)?, self.src(b, ty)?);
        let [first, second, signs] = [self.slot(), self.slot(), self.slot()];
        self.push(Op::Binary { f: sign, d: signs, a, b });
        self.push(Op::Unary { f: size, d: first, a });
        self.push(Op::Unary { f: size, d: second, a: b });
        let (a, b) = (Src::register(first), Src::register(second));
        self.push(Op::Binary { f, d: first, a, b });
        let (a, b) = (Src::register(first), Src::register(signs));
        self.push(Op::Binary { f: &|a: u64, b: u64| a ^ b, d, a, b });
        Ok(())
    }

    /// `min` and `max` of three operands: one after the other.
    fn three_way(
        &mut self,
        opcode: &str,
        ty: Type,
        m: ops::Modifiers,
        operands: &[Operand<'s>],
    ) -> Lowered<()> {
        let f = ops::float_binary(opcode, ty, m).filter(|_| ty == Type::F32);
        let f = f.ok_or(Refusal::Unsupported)?;
        if self.scene.source.target < 100 {
            return Err(Refusal::Unsupported);
        }
        let [d, a, b, c] = exactly(operands)?;
        let d = self.d(d, ty)?;
        let (a, b, c) = (self.src(a, ty)?, self.src(b, ty)?, self.src(c, ty)?);
        let first = self.slot();
        self.push(Op::Binary { f, d: first, a, b });
        self.push(Op::Binary { f, d, a: Src::register(first), b: c });
        Ok(())
    }

    fn testp(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        let tests = ["finite", "infinite", "number", "notanumber", "normal", "subnormal"];
        let test = m.take_any(&tests).ok_or(Refusal::Unsupported)?;
        let ty = m.end_type()?;
        if ty != Type::F32 && ty != Type::F64 {
            return Err(Refusal::Unsupported);
        }
        let single = ty == Type::F32;
        // A class is a predicate of the value and of whether its type's
        // exponent is that of subnormals.
        macro_rules! class {
            ($method:ident) => {
                if single {
                    &|a: u64| u64::from(f32::from_bits(a as u32).$method())
                } else {
                    &|a: u64| u64::from(f64::from_bits(a).$method())
                }
            };
        }
        let f: ops::Unary = match test {
            "finite" => class!(is_finite),
            "infinite" => class!(is_infinite),
            "notanumber" => class!(is_nan),
            "normal" => class!(is_normal),
            "subnormal" => class!(is_subnormal),
            "number" if single => &|a: u64| u64::from(!f32::from_bits(a as u32).is_nan()),
            _ => &|a: u64| u64::from(!f64::from_bits(a).is_nan()),
        };
        let [p, a] = exactly(operands)?;
        let (d, a) = (self.d(p, Type::PRED)?, self.src(a, ty)?);
        self.push(Op::Unary { f, d, a });
        Ok(())
    }
}

/// Whether an instruction has such modifiers at all.
fn permitted(opcode: &str, ty: Type, m: ops::Modifiers) -> bool {
    let plain = m.rounding.is_none() && !m.approximate && !m.sat;
    match opcode {
        _ if m.approximate && m.rounding.is_some() => false,
        _ if m.relu && opcode != "fma" => false,
        "add" | "sub" | "mul" | "fma" | "mad" => !m.approximate && !m.nan,
        "div" | "sqrt" | "rcp" => !m.nan && !m.sat,
        "min" | "max" => plain,
        "neg" | "abs" => plain && !m.nan,
        "copysign" => m == ops::Modifiers::default(),
        // Of packed types with the modifier's own name.
        "ex2" if ty.kind == Kind::Brain || ty.kind == Kind::Brains => {
            m.approximate && m.ftz && !m.sat
        }
        "ex2" | "tanh" if ty.bytes == 2 || ty.kind != Kind::Float => m.approximate && !m.sat,
        _ => m.rounding.is_none() && !m.sat && !m.nan,
    }
}
