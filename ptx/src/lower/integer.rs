//! Moves, integer and logical instructions, comparisons and selections.

use super::super::code::{Address, CarryKind, Halves, Op, SINK, Slot, Src};
use super::super::ops;
use super::super::tree::Operand;
use super::super::types::{Kind, Type};
use super::contract::What;
use super::memory::elements;
use super::modifiers::Modifiers;
use super::operand::{AddressOf, exactly};
use super::scope::Entity;
use super::{Body, Lowered, Refusal, refuse};

/// The operators of comparisons.
const COMPARISONS: &[&str] = &[
    "eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu", "gtu",
    "geu", "num", "nan",
];

impl<'s> Body<'_, 's> {
    pub(super) fn unary_op(
        &mut self,
        f: Option<ops::Unary>,
        to: Type,
        from: Type,
        operands: &[Operand<'s>],
    ) -> Lowered<()> {
        let f = f.ok_or(Refusal::Unsupported)?;
        let [d, a] = exactly(operands)?;
        let (d, a) = (self.d(d, to)?, self.src(a, from)?);
        self.push(Op::Unary { f, d, a });
        Ok(())
    }

    pub(super) fn binary_op(
        &mut self,
        f: Option<ops::Binary>,
        types: [Type; 3],
        operands: &[Operand<'s>],
    ) -> Lowered<()> {
        let f = f.ok_or(Refusal::Unsupported)?;
        let [d, a, b] = exactly(operands)?;
        let d = self.d(d, types[0])?;
        let (a, b) = (self.src(a, types[1])?, self.src(b, types[2])?);
        self.push(Op::Binary { f, d, a, b });
        Ok(())
    }

    pub(super) fn ternary_op(
        &mut self,
        f: Option<ops::Ternary>,
        types: [Type; 4],
        operands: &[Operand<'s>],
    ) -> Lowered<()> {
        let f = f.ok_or(Refusal::Unsupported)?;
        let [d, a, b, c] = exactly(operands)?;
        let d = self.d(d, types[0])?;
        let (a, b, c) = (self.src(a, types[1])?, self.src(b, types[2])?, self.src(c, types[3])?);
        self.push(Op::Ternary { f, d, a, b, c });
        Ok(())
    }

    /// Instructions that are of integers and of floats.
    pub(super) fn arithmetic(
        &mut self,
        m: &mut Modifiers<'_>,
        operands: &[Operand<'s>],
    ) -> Lowered<()> {
        match m.last_type() {
            Some(ty) if ty.is_float() => self.float(m, operands),
            _ => self.integer(m, operands),
        }
    }

    pub(super) fn integer(
        &mut self,
        m: &mut Modifiers<'_>,
        operands: &[Operand<'s>],
    ) -> Lowered<()> {
        match m.head {
            "mov" => self.mov(m, operands),
            "setp" | "set" => self.compare(m, operands),
            "selp" => {
                let ty = m.end_type()?;
                let f: ops::Ternary = &|a: u64, b: u64, p: u64| if p != 0 { a } else { b };
                self.ternary_op(selectable(ty).then_some(f), [ty, ty, ty, Type::PRED], operands)
            }
            "slct" => self.slct(m, operands),
            "addc" | "subc" | "madc" => self.carry(m, operands),
            "add" | "sub" | "mad" if m.has("cc") => self.carry(m, operands),
            "bfi" => self.bfi(m, operands),
            "lop3" => self.lop3(m, operands),
            "dp4a" | "dp2a" => self.dot(m, operands),
            "fns" => {
                let f = ops::integer_ternary("fns", m.end_type()?);
                self.ternary_op(f, [Type::B32; 4], operands)
            }
            "prmt" => {
                let ty = m.ty()?;
                let f = ops::prmt(m.next()).filter(|_| ty == Type::B32);
                m.end()?;
                self.ternary_op(f, [Type::B32, Type::B32, Type::B32, Type::U32], operands)
            }
            "div" | "rem" if m.last_type() != Some(Type::U32) => {
                self.plain(m, operands)?;
                self.note(What::Break, Type::B64, ops::Modifiers::default());
                Ok(())
            }
            _ => self.plain(m, operands),
        }
    }

    /// Instructions that are a function of their operands.
    fn plain(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        let pairs = matches!(m.last_type(), Some(Type::U16X2 | Type::S16X2));
        if pairs && self.scene.source.target < 90 {
            return Err(Refusal::Unsupported);
        }
        let mut opcode = m.head.to_owned();
        if matches!(m.head, "min" | "max") && m.take("relu") {
            self.requires("relu of integers", 90)?;
            opcode.push_str(".relu");
        }
        while let Some(part) =
            m.take_any(&["lo", "hi", "wide", "sat", "shiftamt", "l", "r", "wrap", "clamp"])
        {
            opcode.push('.');
            opcode.push_str(part);
        }
        let ty = m.end_type()?;
        let double = Type::new(ty.kind, ty.bytes.saturating_mul(2));
        match m.head {
            "popc" | "clz" => {
                self.unary_op(ops::integer_unary(&opcode, ty), Type::U32, ty, operands)
            }
            "bfind" => self.unary_op(ops::integer_unary(&opcode, ty), Type::U32, ty, operands),
            "not" | "cnot" | "neg" | "abs" | "brev" => {
                self.unary_op(ops::integer_unary(&opcode, ty), ty, ty, operands)
            }
            "bmsk" => {
                let types = [Type::U32; 3];
                self.binary_op(ops::integer_binary(&opcode, ty), types, operands)
            }
            "shl" | "shr" | "szext" => {
                self.binary_op(ops::integer_binary(&opcode, ty), [ty, ty, Type::U32], operands)
            }
            "mul" if opcode == "mul.wide" => {
                self.binary_op(ops::integer_binary(&opcode, ty), [double, ty, ty], operands)
            }
            "mad" if opcode == "mad.wide" => {
                let types = [double, ty, ty, double];
                self.ternary_op(ops::integer_ternary(&opcode, ty), types, operands)
            }
            "mad" | "mad24" => {
                self.ternary_op(ops::integer_ternary(&opcode, ty), [ty; 4], operands)
            }
            "sad" => {
                let sum = Type::new(Kind::Unsigned, ty.bytes);
                let types = [sum, ty, ty, sum];
                self.ternary_op(ops::integer_ternary(&opcode, ty), types, operands)
            }
            "shf" => {
                let f = ops::integer_ternary(&opcode, ty);
                self.ternary_op(f, [ty, ty, ty, Type::U32], operands)
            }
            "bfe" => {
                let f = ops::integer_ternary(&opcode, ty);
                small(operands.get(2..).unwrap_or_default())?;
                self.ternary_op(f, [ty, ty, Type::U32, Type::U32], operands)
            }
            _ => self.binary_op(ops::integer_binary(&opcode, ty), [ty; 3], operands),
        }
    }

    /// `mov` of vectors: all is read before it is written.
    fn mov_elements(&mut self, (count, ty): (u8, Type), operands: &[Operand<'s>]) -> Lowered<()> {
        if ty == Type::PRED || count > 4 || ty.bytes * count > 16 {
            return Err(Refusal::Unsupported);
        }
        let [d, a] = exactly(operands)?;
        let values: Vec<Slot> = (0..count).map(|_| self.slot()).collect();
        if let (Operand::Name(name), 4, true) = (a, count, ty.is_integer()) {
            // A special register that is a vector.
            for (&d, letter) in values.iter().zip(["x", "y", "z", "w"]) {
                self.special(d, &format!("{name}.{letter}"), ty)?;
            }
        } else {
            for (&d, a) in values.iter().zip(elements(a, count)?) {
                let a = self.src(a, ty)?;
                self.push(Op::Unary { f: &|a: u64| a, d, a });
            }
        }
        for (d, value) in elements(d, count)?.iter().zip(values) {
            let d = self.d(d, ty)?;
            self.push(Op::Unary { f: &|a: u64| a, d, a: Src::register(value) });
        }
        Ok(())
    }

    fn mov(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        let count = m.take_elements();
        let ty = m.end_type()?;
        if ty.bytes == 1 && ty != Type::PRED {
            return Err(Refusal::Unsupported);
        }
        if count > 1 {
            return self.mov_elements((count, ty), operands);
        }
        let [d, a] = exactly(operands)?;
        match (d, a) {
            (Operand::Vector(_), Operand::Vector(_)) => {
                return refuse("Arguments mismatch: two vectors");
            }
            (Operand::Vector(parts), a) => {
                let bits = split(ty, parts.len())?;
                let part = Type::new(Kind::Bits, (bits / 8) as u8);
                let slots: Vec<_> =
                    parts.iter().map(|operand| self.d(operand, part)).collect::<Lowered<_>>()?;
                let a = match a {
                    Operand::Name(name) if name.starts_with('%') && self.find(name).is_none() => {
                        let slot = self.slot();
                        self.special(slot, name, ty)?;
                        Src::register(slot)
                    }
                    a => self.src(a, ty)?,
                };
                if let (Type::B128, &[low, high], Ok(a)) = (ty, &*slots, a.split()) {
                    self.push(Op::Unary { f: &|a: u64| a, d: low, a: Src::register(a) });
                    self.push(Op::Unary { f: &|a: u64| a, d: high, a: Src::register(a + 1) });
                    return Ok(());
                }
                self.push(Op::Unpack { d: slots.into(), bits, a });
            }
            (d, Operand::Vector(parts)) => {
                let bits = split(ty, parts.len())?;
                let part = Type::new(Kind::Bits, (bits / 8) as u8);
                let sources: Vec<_> =
                    parts.iter().map(|operand| self.src(operand, part)).collect::<Lowered<_>>()?;
                let d = self.d(d, ty)?;
                if let (Type::B128, &[low, high]) = (ty, &*sources) {
                    self.push(Op::Unary { f: &|a: u64| a, d, a: low });
                    self.push(Op::Unary { f: &|a: u64| a, d: d + 1, a: high });
                    return Ok(());
                }
                self.push(Op::Pack { d, a: sources.into(), bits });
            }
            (d, &Operand::Index(name, register, index)) => {
                let address = self.element_address(name, register, index)?;
                self.mov_address(d, name, address, ty)?;
            }
            (d, &Operand::Name(name)) => match self.find(name) {
                Some(Entity::Register(..)) if ty == Type::B128 => {
                    let (d, a) = (self.d(d, ty)?, self.register(name, ty)?);
                    self.push(Op::Unary { f: &|a: u64| a, d, a: Src::register(a) });
                    self.push(Op::Unary { f: &|a: u64| a, d: d + 1, a: Src::register(a + 1) });
                }
                Some(Entity::Register(..)) => {
                    let (d, a) = (self.d(d, ty)?, self.src(a, ty)?);
                    self.push(Op::Unary { f: &|a: u64| a, d, a });
                    self.note(What::Copy, ty, ops::Modifiers::default());
                }
                None if name.starts_with('%') => {
                    let d = self.d(d, ty)?;
                    self.special(d, name, ty)?;
                }
                _ => {
                    let address = self.address_of(name, 0)?;
                    self.mov_address(d, name, address, ty)?;
                }
            },
            (d, a) => {
                let (d, a) = (self.d(d, ty)?, self.src(a, ty)?);
                self.push(Op::Unary { f: &|a: u64| a, d, a });
            }
        }
        Ok(())
    }

    fn mov_address(
        &mut self,
        d: &Operand<'s>,
        name: &'s str,
        (address, of): (Address, AddressOf),
        ty: Type,
    ) -> Lowered<()> {
        if of == AddressOf::Value || !ty.is_integer() || ty.bytes < 2 {
            return refuse(format!("Arguments mismatch: '{name}'"));
        }
        let memory = matches!(of, AddressOf::Global | AddressOf::Const);
        if memory && ty.bytes < 8 && self.scene.source.target >= 90 {
            return refuse("Arguments mismatch: a register of 64 bits is expected");
        }
        let d = self.d(d, ty)?;
        self.push(Op::Address { address, mask: ty.mask(), d });
        Ok(())
    }

    fn compare(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        let operator = m.take_any(COMPARISONS).ok_or(Refusal::Unsupported)?;
        let combine = m.take_any(&["and", "or", "xor"]).and_then(ops::combine);
        let ftz = m.take("ftz");
        let to = if m.head == "set" { Some(m.ty()?) } else { None };
        let ty = m.end_type()?;
        let halves = matches!(ty.kind, Kind::Halves | Kind::Brains);
        let element = match ty.kind {
            Kind::Halves => Type::F16,
            Kind::Brains => Type::BF16,
            _ => ty,
        };
        let test = ops::compare(operator, element, ftz).ok_or(Refusal::Unsupported)?;
        let (d, a, b, combine) = match (combine, operands) {
            (None, [d, a, b]) => (d, a, b, None),
            (Some(join), [d, a, b, c]) => {
                (d, a, b, Some(Box::new((join, self.src(c, Type::PRED)?))))
            }
            _ => return refuse("Incorrect number of operands"),
        };
        let (a, b) = (self.src(a, ty)?, self.src(b, ty)?);
        let Some(to) = to else {
            let (p, q) = self.pair(d, Type::PRED, Type::PRED)?;
            if q != SINK && matches!(ty, Type::F16 | Type::BF16) {
                return refuse("Arguments mismatch: one result is expected");
            }
            self.push(match (halves, combine, q) {
                (true, combine, _) => {
                    Op::SetHalves { test, combine, to: Halves::Predicates(p, q), a, b }
                }
                (false, None, SINK) => Op::Binary { f: test, d: p, a, b },
                (false, combine, _) => Op::Setp { test, combine, p, q, a, b },
            });
            return Ok(());
        };
        let yes = match (to.kind, to.bytes) {
            (Kind::Float, 4) => u64::from(1f32.to_bits()),
            (Kind::Float | Kind::Halves, 2 | 4) => 0x3c00,
            (Kind::Brain | Kind::Brains, _) => 0x3f80,
            (Kind::Bits | Kind::Unsigned | Kind::Signed, 4) if halves => 0xffff,
            (Kind::Bits | Kind::Unsigned | Kind::Signed, 4) => 0xffff_ffff,
            (Kind::Bits | Kind::Unsigned | Kind::Signed, 2) => 0xffff,
            _ => return Err(Refusal::Unsupported),
        };
        if halves != matches!(to.kind, Kind::Halves | Kind::Brains) && (!halves || to.bytes != 4) {
            return Err(Refusal::Unsupported);
        }
        let d = self.d(d, to)?;
        self.push(match halves {
            true => Op::SetHalves { test, combine, to: Halves::Values(d, yes), a, b },
            false => Op::Set { test, combine, d, yes, a, b },
        });
        Ok(())
    }

    /// `dp4a` and `dp2a`.
    fn dot(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        let mut opcode = m.head.to_owned();
        if let Some(half) = m.take_any(&["lo", "hi"]) {
            opcode.push('.');
            opcode.push_str(half);
        }
        let a = m.ty()?;
        let b = m.end_type()?;
        let sum = if a == Type::U32 && b == Type::U32 { Type::U32 } else { Type::S32 };
        self.ternary_op(ops::dot(&opcode, a, b), [sum, a, b, sum], operands)
    }

    fn slct(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        let ftz = m.take("ftz");
        let ty = m.ty()?;
        let by = m.end_type()?;
        let f: Option<ops::Ternary> = match by {
            Type::S32 if !ftz => {
                Some(&|a: u64, b: u64, c: u64| if (c as u32).cast_signed() >= 0 { a } else { b })
            }
            // A subnormal is flushed to a zero, which is not less than zero.
            Type::F32 if ftz => Some(&|a: u64, b: u64, c: u64| {
                let c = f32::from_bits(c as u32);
                if c >= 0.0 || c.is_subnormal() { a } else { b }
            }),
            Type::F32 => {
                Some(&|a: u64, b: u64, c: u64| if f32::from_bits(c as u32) >= 0.0 { a } else { b })
            }
            _ => None,
        };
        self.ternary_op(f.filter(|_| selectable(ty)), [ty, ty, ty, by], operands)
    }

    /// The extended-precision family.
    fn carry(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        let reads = m.head.ends_with('c');
        let part = m.take_any(&["lo", "hi"]);
        let writes = m.take("cc");
        let ty = m.end_type()?;
        if ty.bytes < 4 || !matches!(ty.kind, Kind::Unsigned | Kind::Signed) {
            return Err(Refusal::Unsupported);
        }
        let kind = match (m.head, part) {
            ("add" | "addc", None) => CarryKind::Add,
            ("sub" | "subc", None) => CarryKind::Sub,
            ("mad" | "madc", Some("lo")) => CarryKind::MadLo,
            ("mad" | "madc", Some("hi")) if ty.kind == Kind::Signed => CarryKind::MadHiSigned,
            ("mad" | "madc", Some("hi")) => CarryKind::MadHi,
            _ => return Err(Refusal::Unsupported),
        };
        let none = Operand::Int(0);
        let (d, a, b, c) = match (part, operands) {
            (None, [d, a, b]) => (d, a, b, &none),
            (Some(_), [d, a, b, c]) => (d, a, b, c),
            _ => return refuse("Incorrect number of operands"),
        };
        let d = self.d(d, ty)?;
        let (a, b, c) = (self.src(a, ty)?, self.src(b, ty)?, self.src(c, ty)?);
        self.push(Op::Carry { kind, bits: ty.bits(), reads, writes, d, a, b, c });
        Ok(())
    }

    fn bfi(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        let ty = m.end_type()?;
        if ty != Type::B32 && ty != Type::B64 {
            return Err(Refusal::Unsupported);
        }
        let [d, a, b, position, length] = exactly(operands)?;
        small(&operands[3..])?;
        let d = self.d(d, ty)?;
        let (a, b) = (self.src(a, ty)?, self.src(b, ty)?);
        let (position, length) = (self.src(position, Type::U32)?, self.src(length, Type::U32)?);
        self.push(Op::Bfi { d, a, b, position, length, bits: ty.bits() });
        Ok(())
    }

    fn lop3(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        if m.end_type()? != Type::B32 {
            return Err(Refusal::Unsupported);
        }
        let [d, a, b, c, table] = exactly(operands)?;
        let &Operand::Int(table) = table else {
            return refuse("Arguments mismatch: the table must be a constant");
        };
        let Ok(table) = u8::try_from(table) else {
            return refuse("The table is out of range");
        };
        let d = self.d(d, Type::B32)?;
        let sources = [a, b, c].map(|operand| self.src(operand, Type::B32));
        let [a, b, c] = sources;
        self.push(Op::Lop3 { d, a: a?, b: b?, c: c?, table });
        Ok(())
    }
}

/// Whether `selp` and `slct` choose between values of a type.
fn selectable(ty: Type) -> bool {
    let sized = (2..=8).contains(&ty.bytes);
    ty.is_integer() && sized || ty == Type::F32 || ty == Type::F64
}

/// Refuses constants above 255 for the position and the length of bits.
fn small(operands: &[Operand<'_>]) -> Lowered<()> {
    match operands.iter().any(|one| matches!(one, Operand::Int(256..))) {
        true => refuse("A constant is out of range: 0 to 255 is expected"),
        false => Ok(()),
    }
}

/// The bits of each of so many parts of a type.
fn split(ty: Type, count: usize) -> Lowered<u32> {
    match (ty.kind, count) {
        (Kind::Bits, 2) if ty == Type::B128 => Ok(64),
        (Kind::Bits, 2 | 4) if ty.bytes <= 8 && ty.bits() / count as u32 >= 8 => {
            Ok(ty.bits() / count as u32)
        }
        _ => refuse("Arguments mismatch: the vector does not fit the type"),
    }
}
