//! `cvt` and `cvta`.

use super::super::code::{LOCAL_WINDOW, Op, PARAM_WINDOW, SHARED_WINDOW, Src};
use super::super::ops::{Convert, Rounding, integer_conversion};
use super::super::tree::Operand;
use super::super::types::{Kind, Type};
use super::modifiers::Modifiers;
use super::operand::{AddressOf, Width, exactly};
use super::scope::Entity;
use super::{Body, Lowered, Refusal, refuse};

impl<'s> Body<'_, 's> {
    pub(super) fn convert(
        &mut self,
        m: &mut Modifiers<'_>,
        operands: &[Operand<'s>],
    ) -> Lowered<()> {
        if m.head == "cvta" { self.cvta(m, operands) } else { self.cvt(m, operands) }
    }

    fn cvt(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        let integral = m.integral();
        let rounding = m.rounding();
        let ftz = m.take("ftz");
        let sat = m.take("sat");
        let to = m.ty()?;
        let from = m.end_type()?;
        check(to, from, integral, rounding, ftz)?;
        let [d, a] = exactly(operands)?;
        let (register, d) = self.result(d, to, Width::OrWider)?;
        let a = self.src_of(a, from, Width::OrWider)?;
        let mask = register.mask();
        if !sat
            && mask == to.mask()
            && let Some(f) = integer_conversion(from, to, mask)
        {
            self.push(Op::Unary { f, d, a });
            return Ok(());
        }
        let how = Convert {
            from,
            to,
            rounding: integral.or(rounding).unwrap_or(Rounding::Nearest),
            integral: integral.is_some(),
            ftz,
            sat,
            mask,
        };
        self.push(Op::Convert { how, d, a });
        Ok(())
    }

    fn cvta(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        let to = m.take("to");
        let space = m.next();
        let ty = m.end_type()?;
        if ty != Type::U64 {
            return Err(Refusal::Unsupported);
        }
        let [d, a] = exactly(operands)?;
        let d = self.d(d, ty)?;
        let variable = match *a {
            Operand::Sum(name, offset) => Some((name, offset)),
            Operand::Name(name) if !matches!(self.find(name), Some(Entity::Register(..))) => {
                Some((name, 0))
            }
            _ => None,
        };
        // Parameters of functions, and of calls, lie in the frame.
        let mut framed = !self.function.entry;
        let a = match variable {
            Some((name, offset)) => {
                let (address, of) = self.address_of(name, offset)?;
                if of == AddressOf::Value {
                    return refuse(format!("Operand '{name}' is not a variable"));
                }
                framed = of == AddressOf::Local;
                self.push(Op::Address { address, mask: u64::MAX, d });
                Src::Reg(d)
            }
            None => self.src(a, ty)?,
        };
        let f: fn(u64) -> u64 = match (space, to) {
            ("global" | "const", _) => |a| a,
            ("shared" | "shared::cta", false) => |a| a.wrapping_add(SHARED_WINDOW),
            ("shared" | "shared::cta", true) => |a| a.wrapping_sub(SHARED_WINDOW),
            ("local", false) => |a| a.wrapping_add(LOCAL_WINDOW),
            ("local", true) => |a| a.wrapping_sub(LOCAL_WINDOW),
            ("param" | "param::func", false) if framed => |a| a.wrapping_add(LOCAL_WINDOW),
            ("param" | "param::func", true) if framed => |a| a.wrapping_sub(LOCAL_WINDOW),
            ("param" | "param::entry", false) => |a| a.wrapping_add(PARAM_WINDOW),
            ("param" | "param::entry", true) => |a| a.wrapping_sub(PARAM_WINDOW),
            _ => return Err(Refusal::Unsupported),
        };
        self.push(Op::Unary { f, d, a });
        Ok(())
    }
}

/// Refuses conversions that there are not, or whose rounding is missing or
/// too much.
fn check(
    to: Type,
    from: Type,
    integral: Option<Rounding>,
    rounding: Option<Rounding>,
    ftz: bool,
) -> Lowered<()> {
    let number = |ty: Type| matches!(ty.kind, Kind::Unsigned | Kind::Signed | Kind::Float);
    if !number(to) || !number(from) {
        return Err(Refusal::Unsupported);
    }
    if ftz && to != Type::F32 && from != Type::F32 {
        return Err(Refusal::Unsupported);
    }
    let float = (to.kind == Kind::Float, from.kind == Kind::Float);
    let fit = match float {
        (false, false) => integral.is_none() && rounding.is_none(),
        (false, true) => integral.is_some() && rounding.is_none(),
        (true, false) => rounding.is_some() && integral.is_none(),
        (true, true) if to.bytes < from.bytes => rounding.is_some() && integral.is_none(),
        (true, true) if to.bytes > from.bytes => rounding.is_none() && integral.is_none(),
        (true, true) => rounding.is_none(),
    };
    if fit { Ok(()) } else { refuse("Illegal or missing rounding modifier") }
}
