//! Floating-point instructions.

use super::super::code::Op;
use super::super::ops::{self, Rounding};
use super::super::tree::Operand;
use super::super::types::{Kind, Type};
use super::modifiers::Modifiers;
use super::operand::exactly;
use super::{Body, Lowered, Refusal};

impl<'s> Body<'_, 's> {
    pub(super) fn float(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        if m.head == "testp" {
            return self.testp(m, operands);
        }
        let opcode = m.head;
        let modifiers = m.float();
        let ty = m.end_type()?;
        if !permitted(opcode, ty, modifiers) {
            return Err(Refusal::Unsupported);
        }
        match opcode {
            "fma" | "mad" => {
                self.ternary_op(ops::float_ternary(opcode, ty, modifiers), [ty; 4], operands)
            }
            "add" | "sub" | "mul" | "div" | "min" | "max" | "copysign" => {
                self.binary_op(ops::float_binary(opcode, ty, modifiers), [ty; 3], operands)
            }
            _ => self.unary_op(ops::float_unary(opcode, ty, modifiers), ty, ty, operands),
        }
    }

    fn testp(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        let test = m.next();
        let ty = m.end_type()?;
        if ty.kind != Kind::Float {
            return Err(Refusal::Unsupported);
        }
        let single = ty == Type::F32;
        // A class is a predicate of the value and of whether its type's
        // exponent is that of subnormals.
        macro_rules! class {
            ($method:ident) => {
                if single {
                    |a| u64::from(f32::from_bits(a as u32).$method())
                } else {
                    |a| u64::from(f64::from_bits(a).$method())
                }
            };
        }
        let f: fn(u64) -> u64 = match test {
            "finite" => class!(is_finite),
            "infinite" => class!(is_infinite),
            "notanumber" => class!(is_nan),
            "normal" => class!(is_normal),
            "subnormal" => class!(is_subnormal),
            "number" if single => |a| u64::from(!f32::from_bits(a as u32).is_nan()),
            "number" => |a| u64::from(!f64::from_bits(a).is_nan()),
            _ => return Err(Refusal::Unsupported),
        };
        let [p, a] = exactly(operands)?;
        let (d, a) = (self.d(p, Type::PRED)?, self.src(a, ty)?);
        self.push(Op::Unary { f, d, a });
        Ok(())
    }
}

/// Whether an instruction has such modifiers at all.
fn permitted(opcode: &str, ty: Type, m: ops::Modifiers) -> bool {
    let directed = !matches!(m.rounding, None | Some(Rounding::Nearest));
    match opcode {
        _ if m.approximate && m.rounding.is_some() => false,
        "add" | "sub" | "mul" | "fma" | "mad" => !m.approximate && !m.nan,
        "div" | "sqrt" | "rcp" if directed && ty == Type::F64 => false,
        "div" | "sqrt" | "rcp" => !m.nan && !m.sat,
        "min" | "max" => m.rounding.is_none() && !m.approximate && !m.sat,
        "neg" | "abs" => m.rounding.is_none() && !m.approximate && !m.sat && !m.nan,
        "copysign" => m == ops::Modifiers::default(),
        _ => m.rounding.is_none() && !m.sat && !m.nan,
    }
}
