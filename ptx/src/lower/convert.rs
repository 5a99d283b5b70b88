//! `cvt` and `cvta`.

use super::super::code::{
    CLUSTER_SPAN, FIRST_PARAM, LOCAL_WINDOW, Op, PARAM_WINDOW, SHARED_WINDOW, Src, WINDOW,
};
use super::super::ops::{Convert, Rounding, common, integer_conversion, truncation};
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
        match m.head {
            "cvta" => self.cvta(m, operands),
            "isspacep" => self.isspacep(m, operands),
            "mapa" => self.mapa(m, operands),
            "getctarank" => self.getctarank(m, operands),
            _ => self.cvt(m, operands),
        }
    }

    fn cvt(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        if m.has("pack") {
            return self.cvt_pack(m, operands);
        }
        let integral = m.integral();
        let away = m.take("rna");
        let rounding = m.rounding();
        let ftz = m.take("ftz");
        let mut relu = m.take("relu");
        let finite = m.take("satfinite");
        relu |= m.take("relu");
        let sat = m.take("sat");
        let to = m.ty()?;
        let from = m.end_type()?;
        let how = Convert {
            from,
            to,
            rounding: integral.or(rounding).unwrap_or(Rounding::Nearest),
            integral: integral.is_some(),
            ftz,
            sat,
            finite,
            relu,
            mask: to.mask(),
        };
        if to.kind == Kind::Tensor {
            return self.cvt_tensor(from, away, how, operands);
        }
        if away {
            return Err(Refusal::Unsupported);
        }
        let paired = matches!(to.kind, Kind::Halves | Kind::Brains | Kind::E4m3 | Kind::E5m2);
        if paired || matches!(from.kind, Kind::E4m3 | Kind::E5m2) {
            return self.cvt_pair(how, rounding, operands);
        }
        let small = to.bytes == 2 && matches!(to.kind, Kind::Float | Kind::Brain);
        if (relu || finite) && (!small || from != Type::F32) {
            return Err(Refusal::Unsupported);
        }
        check(to, from, integral, rounding, ftz)?;
        let [d, a] = exactly(operands)?;
        // With bf16, registers are of the very size.
        let brains = [to, from].iter().any(|ty| ty.kind == Kind::Brain);
        let width = if brains { Width::Exact } else { Width::OrWider };
        self.wider(d, to)?;
        self.wider(a, from)?;
        let (register, d) = self.result(d, to, width)?;
        let a = self.src_of(a, from, width)?;
        let mask = register.mask();
        let plain = !sat && !ftz && !relu && !finite;
        let nearest = matches!(rounding, None | Some(Rounding::Nearest));
        let function = match integral {
            None if !sat && mask == to.mask() && to.is_integer() => {
                integer_conversion(from, to, mask)
            }
            None if plain && nearest => common(from, to),
            Some(Rounding::Zero) if plain && mask == to.mask() => truncation(from, to),
            _ => None,
        };
        if let Some(f) = function {
            self.push(Op::Unary { f, d, a });
            return Ok(());
        }
        self.push(Op::Convert { how: Box::new(Convert { mask, ..how }), d, a });
        Ok(())
    }

    /// Refuses a register of floats that is wider than the type: only others hold less than they could.
    fn wider(&mut self, operand: &Operand<'s>, ty: Type) -> Lowered<()> {
        if let Operand::Name(name) = *operand
            && let Some(Entity::Register(register, _)) = self.find(name)
            && register.kind == Kind::Float
            && register.bytes != ty.bytes
        {
            return refuse(format!("Arguments mismatch: type of '{name}'"));
        }
        Ok(())
    }

    /// `cvt` to a pair, from two numbers or from another pair.
    fn cvt_pair(
        &mut self,
        how: Convert,
        rounding: Option<Rounding>,
        operands: &[Operand<'s>],
    ) -> Lowered<()> {
        let element = |ty: Type| match ty.kind {
            Kind::Halves => Type::F16,
            Kind::Brains => Type::BF16,
            _ => ty,
        };
        let eighth = |ty: Type| matches!(ty.kind, Kind::E4m3 | Kind::E5m2);
        let (to, from) = (how.to, how.from);
        let width = |ty: Type| if eighth(ty) { 8 } else { 16 };
        let how = Box::new(Convert { from: element(from), to: element(to), ..how });
        let fit = match (eighth(to), eighth(from)) {
            // FP8 saturates always.
            (true, false) => how.finite && rounding == Some(Rounding::Nearest),
            (false, true) => to == Type::F16X2 && rounding == Some(Rounding::Nearest),
            (false, false) => {
                matches!(rounding, Some(Rounding::Nearest | Rounding::Zero)) && from == Type::F32
            }
            (true, true) => false,
        };
        if !fit || how.ftz || how.sat || how.integral {
            return Err(Refusal::Unsupported);
        }
        // The two bytes of FP8 are held in 16 bits.
        let register = |ty: Type| if eighth(ty) { Type::B16 } else { ty };
        if from == Type::F32 {
            let [d, a, b] = exactly(operands)?;
            let d = self.d(d, register(to))?;
            let (a, b) = (self.src(a, from)?, self.src(b, from)?);
            self.push(Op::ConvertPair { how, d, a, b, bits: width(to) });
            return Ok(());
        }
        if !matches!(from.kind, Kind::Halves | Kind::Brains) && !eighth(from) {
            return Err(Refusal::Unsupported);
        }
        let [d, a @ Operand::Name(_)] = exactly(operands)? else {
            return refuse("Arguments mismatch: a register is expected");
        };
        let (d, a) = (self.d(d, register(to))?, self.src(a, register(from))?);
        self.push(Op::ConvertEach { how, d, a, from: width(from), to: width(to) });
        Ok(())
    }

    /// `cvt` to `.tf32`: f32 with 10 bits of fraction.
    fn cvt_tensor(
        &mut self,
        from: Type,
        away: bool,
        how: Convert,
        operands: &[Operand<'s>],
    ) -> Lowered<()> {
        if from != Type::F32 || how.ftz || how.sat || how.integral {
            return Err(Refusal::Unsupported);
        }
        let [d, a] = exactly(operands)?;
        let (d, a) = (self.d(d, Type::B32)?, self.src(a, from)?);
        let f: super::super::ops::Unary = match (away, how.rounding, how.relu) {
            (true, _, false) => &|a: u64| tensor(a, 0x1000),
            (false, Rounding::Nearest, false) => &|a: u64| tensor(a, 0xfff + (a >> 13 & 1)),
            (false, Rounding::Zero, false) => &|a: u64| tensor(a, 0),
            _ => return Err(Refusal::Unsupported),
        };
        self.push(Op::Unary { f, d, a });
        Ok(())
    }

    /// `cvt.pack`: two integers, saturated, and what is after them.
    fn cvt_pack(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        if !m.take("pack") || !m.take("sat") {
            return Err(Refusal::Unsupported);
        }
        let to = m.ty()?;
        let from = m.ty()?;
        let joined = !m.peek().is_empty();
        if joined && m.ty()? != Type::B32 {
            return Err(Refusal::Unsupported);
        }
        m.end()?;
        if from != Type::S32 || !to.is_integer() || to.bytes > 2 || joined != (to.bytes == 1) {
            return Err(Refusal::Unsupported);
        }
        let how = Box::new(Convert {
            from,
            to,
            rounding: Rounding::Nearest,
            integral: false,
            ftz: false,
            sat: true,
            finite: false,
            relu: false,
            mask: to.mask(),
        });
        let (d, a, b, c) = match operands {
            [d, a, b] if !joined => (d, a, b, None),
            [d, a, b, c] if joined => (d, a, b, Some(c)),
            _ => return refuse("Incorrect number of operands"),
        };
        let c = c.map(|c| self.src(c, Type::B32)).transpose()?;
        let d = self.d(d, Type::B32)?;
        let (a, b) = (self.src(a, from)?, self.src(b, from)?);
        let pair = if c.is_some() { self.slot() } else { d };
        self.push(Op::ConvertPair { how, d: pair, a, b, bits: to.bits() });
        if let Some(b) = c {
            let f = &|a: u64, b: u64| a | b << 16 & 0xffff_0000;
            self.push(Op::Binary { f, d, a: Src::register(pair), b });
        }
        Ok(())
    }

    /// `mapa`: the address of the same place in another block of the cluster.
    fn mapa(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        let generic = !m.take("shared::cluster");
        let ty = m.end_type()?;
        if ![Type::U32, Type::U64, Type::S32, Type::S64].contains(&ty) {
            return Err(Refusal::Unsupported);
        }
        self.requires("mapa", 90)?;
        let [d, a, rank] = exactly(operands)?;
        let d = self.d(d, ty)?;
        let (a, rank) = (self.shared_address(a, ty, generic)?, self.src(rank, Type::U32)?);
        self.push(Op::MapAddress { d, a, rank, generic });
        Ok(())
    }

    /// `getctarank`: the block of the cluster that an address is of.
    fn getctarank(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        let generic = !m.take("shared::cluster");
        let ty = m.end_type()?;
        if ![Type::U32, Type::U64, Type::S32, Type::S64].contains(&ty) {
            return Err(Refusal::Unsupported);
        }
        self.requires("getctarank", 90)?;
        let [d, a] = exactly(operands)?;
        let (d, a) = (self.d(d, Type::U32)?, self.shared_address(a, ty, generic)?);
        self.push(Op::RankOf { d, a, generic });
        Ok(())
    }

    /// An address in shared memory: a register's value, or a variable.
    fn shared_address(&mut self, operand: &Operand<'s>, ty: Type, generic: bool) -> Lowered<Src> {
        let (name, offset) = match *operand {
            Operand::Sum(name, offset) => (name, offset),
            Operand::Name(name) => (name, 0),
            _ => return self.src(operand, ty),
        };
        if offset == 0 && matches!(self.find(name), Some(Entity::Register(..))) {
            return self.src(operand, ty);
        }
        let (mut address, of) = self.address_of(name, offset)?;
        match of {
            AddressOf::Value => {}
            AddressOf::Shared if generic => {
                address.offset = address.offset.wrapping_add_unsigned(SHARED_WINDOW);
            }
            AddressOf::Shared => {}
            _ => return refuse("State space mismatch between instruction and address"),
        }
        let d = self.slot();
        self.push(Op::Address { address, mask: ty.mask(), d });
        Ok(Src::register(d))
    }

    /// Whether a generic address is in a window.
    fn isspacep(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        let space = m.next();
        m.end()?;
        let [p, a] = exactly(operands)?;
        let ty = match a {
            Operand::Name(name) => match self.find(name) {
                Some(Entity::Register(ty, _)) if ty.bytes == 4 => Type::U32,
                _ => Type::U64,
            },
            _ => Type::U64,
        };
        let (d, a) = (self.d(p, Type::PRED)?, self.src(a, ty)?);
        if matches!(space, "global" | "const") {
            self.push(Op::InDeviceMemory { d, a, constant: space == "const" });
            return Ok(());
        }
        let f: super::super::ops::Unary = match space {
            "shared" | "shared::cta" => {
                const END: u64 = SHARED_WINDOW + CLUSTER_SPAN;
                &|a: u64| u64::from((SHARED_WINDOW..END).contains(&a))
            }
            "shared::cluster" => &|a: u64| u64::from((SHARED_WINDOW..LOCAL_WINDOW).contains(&a)),
            "local" => &|a: u64| u64::from((LOCAL_WINDOW..PARAM_WINDOW).contains(&a)),
            "param" | "param::entry" => {
                &|a: u64| u64::from((PARAM_WINDOW..PARAM_WINDOW + WINDOW).contains(&a))
            }
            _ => return Err(Refusal::Unsupported),
        };
        self.push(Op::Unary { f, d, a });
        Ok(())
    }

    fn cvta(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        let to = m.take("to");
        let spaces =
            ["global", "const", "shared", "shared::cta", "shared::cluster", "local", "param"];
        let space = m.take_any(&spaces).ok_or(Refusal::Unsupported)?;
        let ty = m.end_type()?;
        if ty != Type::U64 {
            return Err(Refusal::Unsupported);
        }
        let [d, a] = exactly(operands)?;
        let d = self.d(d, ty)?;
        let variable = match *a {
            Operand::Index(name, register, index) => {
                Some((name, self.element_address(name, register, index)?))
            }
            Operand::Name(name) | Operand::Sum(name, _)
                if matches!(self.find(name), Some(Entity::Register(..))) =>
            {
                None
            }
            // An address that is made generic is a value.
            Operand::Name(name) if to && self.scene.functions.contains_key(name) => None,
            Operand::Name(name) => Some((name, self.address_of(name, 0)?)),
            Operand::Sum(name, offset) => Some((name, self.address_of(name, offset)?)),
            _ => None,
        };
        // Parameters of functions, and of calls, lie in the frame.
        let mut framed = !self.function.entry;
        let a = match variable {
            Some((name, (address, of))) => {
                let fits = match space {
                    "global" => of == AddressOf::Global,
                    "const" => of == AddressOf::Const,
                    "local" => of == AddressOf::Local,
                    "param" | "param::entry" | "param::func" => {
                        matches!(of, AddressOf::Param | AddressOf::Argument)
                    }
                    _ => of == AddressOf::Shared,
                };
                // An address that is no longer generic is a value: a register's, or a sum.
                if if to { !matches!(a, Operand::Sum(..)) } else { !fits } {
                    return refuse(format!("State space mismatch: '{name}'"));
                }
                framed = of == AddressOf::Argument;
                self.push(Op::Address { address, mask: u64::MAX, d });
                Src::register(d)
            }
            None => self.src(a, ty)?,
        };
        let f: super::super::ops::Unary = match (space, to) {
            ("global" | "const", _) => &|a: u64| a,
            ("shared" | "shared::cta" | "shared::cluster", false) => {
                &|a: u64| a.wrapping_add(SHARED_WINDOW)
            }
            ("shared" | "shared::cta" | "shared::cluster", true) => {
                &|a: u64| a.wrapping_sub(SHARED_WINDOW)
            }
            ("local", false) => &|a: u64| a.wrapping_add(LOCAL_WINDOW),
            ("local", true) => &|a: u64| a.wrapping_sub(LOCAL_WINDOW),
            ("param" | "param::func", false) if framed => &|a: u64| a.wrapping_add(LOCAL_WINDOW),
            ("param" | "param::func", true) if framed => &|a: u64| a.wrapping_sub(LOCAL_WINDOW),
            ("param" | "param::entry", false) => &|a: u64| a.wrapping_add(FIRST_PARAM),
            ("param" | "param::entry", true) => &|a: u64| a.wrapping_sub(FIRST_PARAM),
            _ => return Err(Refusal::Unsupported),
        };
        self.push(Op::Unary { f, d, a });
        Ok(())
    }
}

/// An f32 with its last 13 bits rounded off, after adding to them.
fn tensor(bits: u64, add: u64) -> u64 {
    match bits & 0x7fff_ffff {
        0x7f80_0001.. => 0x7fff_ffff,
        0x7f80_0000 => bits,
        _ => (bits + add) & !0x1fff,
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
    let number =
        |ty: Type| matches!(ty.kind, Kind::Unsigned | Kind::Signed | Kind::Float | Kind::Brain);
    if !number(to) || !number(from) {
        return Err(Refusal::Unsupported);
    }
    if ftz && to != Type::F32 && from != Type::F32 {
        return Err(Refusal::Unsupported);
    }
    let narrower = to.bytes < from.bytes || (to.bytes == from.bytes && to.kind != from.kind);
    let fit = match (to.is_float(), from.is_float()) {
        (false, false) => integral.is_none() && rounding.is_none(),
        (false, true) => integral.is_some() && rounding.is_none(),
        (true, false) => rounding.is_some() && integral.is_none(),
        (true, true) if narrower => rounding.is_some() && integral.is_none(),
        (true, true) if to.bytes > from.bytes => rounding.is_none() && integral.is_none(),
        (true, true) => rounding.is_none(),
    };
    if fit { Ok(()) } else { refuse("Illegal or missing rounding modifier") }
}
