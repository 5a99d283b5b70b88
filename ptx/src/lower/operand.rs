//! Operands: registers, constants and addresses.

use super::super::code::{Address, Base, Op, SINK, Slot, Src, function_address};
use super::super::ops;
use super::super::tree::{Operand, Variable};
use super::super::types::{Kind, Type};
use super::scope::Entity;
use super::{Body, Lowered, Refusal, refuse};

/// Whether a register must be of the type's size, or may be larger.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Width {
    Exact,
    OrWider,
}

impl<'s> Body<'_, 's> {
    /// Returns the entity that a name stands for; registers get a slot when first used.
    pub(super) fn find(&mut self, name: &'s str) -> Option<Entity<'s>> {
        let fresh = self.slots;
        let Some(entity) = self.scopes.find(name, fresh) else {
            let (name, selector) = name.rsplit_once('.').filter(|_| self.scopes.vectors)?;
            let (ty, slot) = self.element(name, element(selector)?)?;
            return Some(Entity::Register(ty, slot));
        };
        match entity {
            // A register of 128 bits is two of 64.
            Entity::Register(ty, slot) if slot == fresh => {
                self.slots += if ty.bytes > 8 { 2 } else { 1 };
            }
            Entity::Vector(_, elements, slot) if slot == fresh => {
                self.slots += Slot::from(elements)
            }
            _ => {}
        }
        Some(entity)
    }

    /// An element of a register that is a vector, if there is one.
    fn element(&mut self, name: &'s str, at: u8) -> Option<(Type, Slot)> {
        match self.find(name)? {
            Entity::Vector(ty, elements, slot) if at < elements => {
                Some((ty, slot + Slot::from(at)))
            }
            _ => None,
        }
    }

    /// The operands, with the elements of registers that are vectors in place of their names.
    pub(super) fn apart(&mut self, operands: &[Operand<'s>]) -> Vec<Operand<'s>> {
        let mut elements = |operand: &Operand<'s>| {
            let &Operand::Name(name) = operand else { return None };
            let Some(Entity::Vector(_, count, _)) = self.find(name) else { return None };
            Some((0..count).map(|at| Operand::Element(name, at)).collect::<Vec<_>>())
        };
        let apart = operands.iter().map(|operand| match operand {
            Operand::Object(name, place) => match &place[..] {
                [one] => Operand::Object(name, elements(one).unwrap_or_else(|| place.clone())),
                _ => operand.clone(),
            },
            _ => elements(operand).map_or_else(|| operand.clone(), Operand::Vector),
        });
        apart.collect()
    }

    /// The register of a name, and its type.
    fn any_register(&mut self, name: &'s str) -> Lowered<(Type, Slot)> {
        match self.find(name) {
            Some(Entity::Register(ty, slot)) => Ok((ty, slot)),
            Some(_) => refuse(format!("Operand '{name}' is not a register")),
            None if name.starts_with('%') => refuse(format!("Unknown symbol '{name}'")),
            None => refuse(format!("Unknown symbol '{name}'")),
        }
    }

    /// A register that must fit a type.
    fn fitting(&mut self, name: &'s str, ty: Type, width: Width) -> Lowered<(Type, Slot)> {
        let found = self.any_register(name)?;
        fits(name, found, ty, width)
    }

    fn fitting_element(
        &mut self,
        name: &'s str,
        at: u8,
        ty: Type,
        width: Width,
    ) -> Lowered<(Type, Slot)> {
        match self.element(name, at) {
            Some(found) => fits(name, found, ty, width),
            None => refuse(format!("Operand '{name}' is not a register")),
        }
    }

    /// The slot of a register of a type.
    pub(super) fn register(&mut self, name: &'s str, ty: Type) -> Lowered<Slot> {
        Ok(self.fitting(name, ty, Width::Exact)?.1)
    }

    /// The slot that a result goes to, and its register's type.
    pub(super) fn result(
        &mut self,
        operand: &Operand<'s>,
        ty: Type,
        width: Width,
    ) -> Lowered<(Type, Slot)> {
        match operand {
            Operand::Name("_") if ty.bytes > 8 => {
                let (low, _high) = (self.slot(), self.slot());
                Ok((ty, low))
            }
            Operand::Name("_") => Ok((ty, SINK)),
            Operand::Name(name) => self.fitting(name, ty, width),
            &Operand::Element(name, at) => self.fitting_element(name, at, ty, width),
            _ => refuse("Arguments mismatch: a register is expected for the result"),
        }
    }

    /// The slot that a result of the very type goes to.
    pub(super) fn d(&mut self, operand: &Operand<'s>, ty: Type) -> Lowered<Slot> {
        Ok(self.result(operand, ty, Width::Exact)?.1)
    }

    /// `d|p`, or `d` alone.
    pub(super) fn pair(
        &mut self,
        operand: &Operand<'s>,
        ty: Type,
        second: Type,
    ) -> Lowered<(Slot, Slot)> {
        match *operand {
            Operand::Pair(d, p) => {
                Ok((self.d(&Operand::Name(d), ty)?, self.d(&Operand::Name(p), second)?))
            }
            _ => Ok((self.d(operand, ty)?, SINK)),
        }
    }

    /// A constant.
    pub(super) fn constant(&self, value: u64) -> Src {
        self.scene.constants.borrow_mut().of(value)
    }

    /// An operand of a type.
    pub(super) fn src(&mut self, operand: &Operand<'s>, ty: Type) -> Lowered<Src> {
        self.src_of(operand, ty, Width::Exact)
    }

    /// An operand of a type.
    pub(super) fn src_of(&mut self, operand: &Operand<'s>, ty: Type, width: Width) -> Lowered<Src> {
        match *operand {
            Operand::Name(name)
                if self.scene.functions.contains_key(name)
                    && ty.is_integer()
                    && self.find(name).is_none() =>
            {
                let (address, _) = self.address_of(name, 0)?;
                Ok(self.constant(address.offset.cast_unsigned() & ty.mask()))
            }
            Operand::Name(name) => Ok(Src::register(self.fitting(name, ty, width)?.1)),
            Operand::Element(name, at) => {
                Ok(Src::register(self.fitting_element(name, at, ty, width)?.1))
            }
            Operand::Not(name) if ty == Type::PRED => {
                let a = Src::register(self.register(name, ty)?);
                let d = self.slot();
                self.push(Op::Unary { f: &|a: u64| a ^ 1, d, a });
                Ok(Src::register(d))
            }
            Operand::Sum(name, addend) => self.sum(name, addend, ty),
            Operand::Int(value) => Ok(self.constant(integer(value, ty)?)),
            Operand::F32(bits) => {
                let value = real(f64::from(f32::from_bits(bits)), u64::from(bits), 4, ty)?;
                Ok(self.constant(value))
            }
            Operand::F64(bits) => {
                let value = real(f64::from_bits(bits), bits, 8, ty)?;
                Ok(self.constant(value))
            }
            _ => refuse("Arguments mismatch: a register or constant is expected"),
        }
    }

    /// `name+addend` as a value: of a register, or the address of a variable.
    fn sum(&mut self, name: &'s str, addend: i64, ty: Type) -> Lowered<Src> {
        let d = match self.find(name) {
            // In the size of the register, whatever that of the instruction is.
            Some(Entity::Register(own, slot)) => {
                if !own.is_integer() || own.bytes > 8 || !ty.agrees(own) || name.contains('.') {
                    // NVIDIA's assembler takes it of a float, and then the value is undefined.
                    return refuse(format!("A constant cannot be added to '{name}'"));
                }
                let addend = self.constant(addend.cast_unsigned() & own.mask());
                let (d, a) = (self.slot(), Src::register(slot));
                let f = ops::integer_binary("add", Type::new(Kind::Unsigned, own.bytes));
                let f = f.ok_or(Refusal::Unsupported)?;
                self.push(Op::Binary { f, d, a, b: addend });
                if ty.bytes < own.bytes {
                    let mask = self.constant(ty.mask());
                    let f = &|a: u64, b: u64| a & b;
                    self.push(Op::Binary { f, d, a: Src::register(d), b: mask });
                }
                d
            }
            _ => {
                let (address, of) = self.address_of(name, addend)?;
                if of == AddressOf::Value || !ty.is_integer() || ty.bytes < 2 {
                    return refuse(format!("Arguments mismatch: '{name}'"));
                }
                let d = self.slot();
                self.push(Op::Address { address, mask: ty.mask(), d });
                d
            }
        };
        Ok(Src::register(d))
    }

    /// The address of an element of a variable. NVIDIA's assembler counts elements of a register of 32 bits in 32 bits.
    pub(super) fn element_address(
        &mut self,
        name: &'s str,
        register: Option<&'s str>,
        index: i64,
    ) -> Lowered<(Address, AddressOf)> {
        let step = match self.find(name) {
            Some(
                Entity::Frame { step, .. } | Entity::Shared(_, step) | Entity::Global(_, step),
            ) => step,
            Some(_) => None,
            None => {
                let variables = &self.scene.source.variables;
                variables.iter().find(|one| one.name == name).and_then(Variable::step)
            }
        };
        let Some(step) = step else { return refuse("Array indexing on non-array") };
        let (address, of) = self.address_of(name, index.wrapping_mul(step.into()))?;
        let Some(register) = register else { return Ok((address, of)) };
        let index = match self.any_register(register)? {
            (ty, slot) if ty.is_integer() && ty.bytes == 4 => Src::register(slot),
            _ => return refuse("Arguments mismatch: an index of 32 bits is expected"),
        };
        let (at, scaled, sum) = (self.slot(), self.slot(), self.slot());
        let step = self.constant(step.into());
        self.push(Op::Address { address, mask: u64::MAX, d: at });
        let multiply = ops::integer_binary("mul.lo", Type::U32).ok_or(Refusal::Unsupported)?;
        self.push(Op::Binary { f: multiply, d: scaled, a: index, b: step });
        let add = ops::integer_binary("add", Type::U64).ok_or(Refusal::Unsupported)?;
        self.push(Op::Binary { f: add, d: sum, a: Src::register(at), b: Src::register(scaled) });
        Ok((Address { base: Base::Reg(sum), offset: 0 }, of))
    }

    /// An address in brackets.
    pub(super) fn address(&mut self, operand: &Operand<'s>) -> Lowered<(Address, AddressOf)> {
        match *operand {
            Operand::Address(None, offset) => {
                Ok((Address { base: Base::Zero, offset }, AddressOf::Value))
            }
            Operand::Address(Some(name), offset) => self.address_of(name, offset),
            _ => refuse("Arguments mismatch: an address is expected"),
        }
    }

    /// The address of a register's value or of a variable.
    pub(super) fn address_of(
        &mut self,
        name: &'s str,
        offset: i64,
    ) -> Lowered<(Address, AddressOf)> {
        let fixed =
            |base, start: u32| Address { base, offset: offset.wrapping_add(i64::from(start)) };
        match self.find(name) {
            Some(Entity::Register(ty, slot))
                if ty.is_integer() && ty.bytes >= 4 && !name.contains('.') =>
            {
                Ok((Address { base: Base::Reg(slot), offset }, AddressOf::Value))
            }
            Some(Entity::Param(start)) => Ok((fixed(Base::Zero, start), AddressOf::Param)),
            Some(Entity::Frame { offset: start, param, .. }) => {
                let of = if param { AddressOf::Argument } else { AddressOf::Local };
                Ok((fixed(Base::Frame, start), of))
            }
            Some(Entity::Shared(start, _)) => Ok((fixed(Base::Zero, start), AddressOf::Shared)),
            Some(Entity::Global(index, _)) => Ok(self.in_memory(index, offset)),
            Some(_) => refuse(format!("Operand '{name}' is not an address")),
            None => self.module_address(name, offset),
        }
    }

    /// A variable in device memory.
    fn in_memory(&self, index: u32, offset: i64) -> (Address, AddressOf) {
        let constant = self.scene.globals.constants.get(index as usize) == Some(&true);
        let of = if constant { AddressOf::Const } else { AddressOf::Global };
        (Address { base: Base::Global(index), offset }, of)
    }

    fn module_address(&mut self, name: &'s str, offset: i64) -> Lowered<(Address, AddressOf)> {
        if let Some(&index) = self.scene.globals.module.get(name) {
            return Ok(self.in_memory(index, offset));
        }
        if let Some(start) = self.scene.shared.module_variable(name) {
            let offset = offset.wrapping_add(i64::from(start));
            return Ok((Address { base: Base::Zero, offset }, AddressOf::Shared));
        }
        if let Some(&index) = self.scene.functions.get(name) {
            let address = function_address(index as u32).cast_signed();
            if offset != 0 {
                return refuse(format!("Cannot take address of function '{name}' in a sum"));
            }
            return Ok((Address { base: Base::Zero, offset: address }, AddressOf::Function));
        }
        refuse(format!("Unknown symbol '{name}'"))
    }
}

/// The memory that an address belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AddressOf {
    /// A register's value.
    Value,
    Global,
    Const,
    Shared,
    Local,
    /// A parameter of the entry.
    Param,
    /// A parameter of a function, or one of a call.
    Argument,
    Function,
}

/// A register that must fit a type.
fn fits(
    name: &str,
    (register, slot): (Type, Slot),
    ty: Type,
    width: Width,
) -> Lowered<(Type, Slot)> {
    let size = match width {
        Width::Exact => register.bytes == ty.bytes,
        // Operands of 8 bits are held in registers of any size.
        Width::OrWider => register.bytes >= ty.bytes,
    };
    if size && ty.agrees(register) {
        return Ok((register, slot));
    }
    refuse(format!("Arguments mismatch: type of '{name}'"))
}

/// The number of an element, by its letter.
pub(super) fn element(selector: &str) -> Option<u8> {
    let at = |letters: &str| letters.find(selector).filter(|_| selector.len() == 1);
    at("xyzw").or_else(|| at("rgba")).map(|at| at as u8)
}

/// A constant of an integer's text.
fn integer(value: u64, ty: Type) -> Lowered<u64> {
    match ty.kind {
        Kind::Float | Kind::Brain | Kind::Halves | Kind::Brains => {
            refuse("Arguments mismatch: a floating-point constant is expected")
        }
        Kind::UnsignedPair | Kind::SignedPair => {
            refuse("Arguments mismatch: a register is expected")
        }
        Kind::Pred => Ok(u64::from(value != 0)),
        _ => Ok(value & ty.mask()),
    }
}

/// A constant of a floating-point text.
fn real(value: f64, bits: u64, bytes: u8, ty: Type) -> Lowered<u64> {
    match (ty.kind, ty.bytes) {
        (Kind::Float | Kind::Bits, own) if own == bytes => Ok(bits),
        (Kind::Float, 4) => Ok(u64::from((value as f32).to_bits())),
        (Kind::Float, 8) => Ok(value.to_bits()),
        _ => refuse("Arguments mismatch: an integer constant is expected"),
    }
}

/// The operands, if there are as many as there should be.
pub(super) fn exactly<'o, 's, const N: usize>(
    operands: &'o [Operand<'s>],
) -> Lowered<&'o [Operand<'s>; N]> {
    match operands.try_into() {
        Ok(operands) => Ok(operands),
        Err(_) => {
            refuse(format!("Incorrect number of operands: {} given, {N} expected", operands.len()))
        }
    }
}
