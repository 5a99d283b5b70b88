//! Loads, stores and atomic operations.

use super::super::code::{Access, Base, Op, SINK, Space, Src};
use super::super::ops;
use super::super::tree::Operand;
use super::super::types::{Kind, Type};
use super::modifiers::Modifiers;
use super::operand::{AddressOf, Width, exactly};
use super::{Body, Lowered, Refusal, refuse};

const ORDERS: &[&str] = &["weak", "volatile", "relaxed", "acquire", "release", "acq_rel"];
const SCOPES: &[&str] = &["cta", "cluster", "gpu", "sys"];
const CACHES: &[&str] = &["ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc"];
const HINTS: &[&str] = &[
    "L1::evict_normal",
    "L1::evict_unchanged",
    "L1::evict_first",
    "L1::evict_last",
    "L1::no_allocate",
    "L2::64B",
    "L2::128B",
    "L2::256B",
];

/// The state space that comes next; without one it is generic.
fn space(m: &mut Modifiers<'_>) -> Space {
    let space = match m.peek() {
        "global" | "const" => Space::Global,
        "shared" | "shared::cta" => Space::Shared,
        "local" => Space::Local,
        "param" | "param::entry" | "param::func" => Space::Param,
        _ => return Space::Generic,
    };
    m.next();
    space
}

impl<'s> Body<'_, 's> {
    pub(super) fn memory(
        &mut self,
        m: &mut Modifiers<'_>,
        operands: &[Operand<'s>],
    ) -> Lowered<()> {
        match m.head {
            "ld" | "ldu" => self.load(m, operands),
            "st" => self.store(m, operands),
            "atom" | "red" => self.atomic(m, operands),
            _ => {
                // A hint: checked, and then of no effect.
                let space = space(m);
                m.take_any(&["L1", "L2"]).ok_or(Refusal::Unsupported)?;
                m.end()?;
                let [address] = exactly(operands)?;
                self.place(address, space)?;
                self.push(Op::Nop);
                Ok(())
            }
        }
    }

    /// An address, and the space that it is in.
    fn place(
        &mut self,
        operand: &Operand<'s>,
        space: Space,
    ) -> Lowered<(super::code::Address, Space)> {
        let (address, of) = self.address(operand)?;
        let space = match (space, of) {
            (Space::Param, AddressOf::Local) => Space::Local,
            (Space::Param, AddressOf::Value)
                if !self.function.entry && address.base != Base::Zero =>
            {
                Space::Local
            }
            (space, AddressOf::Value) => space,
            // A variable's name tells its space where the opcode does not.
            (Space::Generic | Space::Global, AddressOf::Global) => Space::Global,
            (Space::Generic | Space::Shared, AddressOf::Shared) => Space::Shared,
            (Space::Generic | Space::Local, AddressOf::Local) => Space::Local,
            (Space::Param, AddressOf::Param) => Space::Param,
            _ => return refuse("State space mismatch between instruction and address"),
        };
        Ok((address, space))
    }

    /// What stands between the opcode and the type: the access but for its
    /// address, and the type.
    fn access(&mut self, m: &mut Modifiers<'_>) -> Lowered<(Space, u8, Type)> {
        m.take_any(ORDERS);
        m.take_any(SCOPES);
        let space = space(m);
        while m.take_any(CACHES).is_some() || m.take_any(HINTS).is_some() {}
        let count = match m.take_any(&["v2", "v4"]) {
            None => 1,
            Some("v2") => 2,
            Some(_) => 4,
        };
        let ty = m.end_type()?;
        if ty == Type::PRED || u32::from(count) * u32::from(ty.bytes) > 16 {
            return Err(Refusal::Unsupported);
        }
        Ok((space, count, ty))
    }

    fn load(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        let (space, count, ty) = self.access(m)?;
        let [d, address] = exactly(operands)?;
        let mut slots = [SINK; 4];
        // A signed value is extended to its register, whatever its size.
        let mut extend = 0;
        let list = elements(d, count)?;
        for (slot, operand) in slots.iter_mut().zip(list) {
            let (register, place) = self.result(operand, loose(ty), Width::OrWider)?;
            *slot = place;
            if ty.kind == Kind::Signed && register.bytes > ty.bytes {
                extend = register.mask();
            }
        }
        let (address, space) = self.place(address, space)?;
        let access = Access { space, address, bytes: ty.bytes, count };
        self.push(Op::Load { access, d: slots, extend });
        Ok(())
    }

    fn store(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        let (space, count, ty) = self.access(m)?;
        let [address, a] = exactly(operands)?;
        let mut sources = [Src::Imm(0); 4];
        let list = elements(a, count)?;
        for (source, operand) in sources.iter_mut().zip(list) {
            *source = self.src_of(operand, loose(ty), Width::OrWider)?;
        }
        let (address, space) = self.place(address, space)?;
        if space == Space::Param {
            return refuse("Parameters of an entry cannot be stored to");
        }
        let access = Access { space, address, bytes: ty.bytes, count };
        self.push(Op::Store { access, a: sources });
        Ok(())
    }

    fn atomic(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        m.take_any(ORDERS);
        m.take_any(SCOPES);
        let space = space(m);
        let opcode = m.next();
        m.take("noftz");
        let ty = m.end_type()?;
        let update = ops::atomic(opcode, ty).ok_or(Refusal::Unsupported)?;
        let returns = m.head == "atom";
        if (!returns && matches!(opcode, "exch" | "cas"))
            || matches!(space, Space::Local | Space::Param)
        {
            return Err(Refusal::Unsupported);
        }
        let (d, rest) = match operands.split_first() {
            Some((d, rest)) if returns => (self.d(d, ty)?, rest),
            _ => (SINK, operands),
        };
        let (address, b, c) = match (opcode, rest) {
            ("cas", [address, b, c]) => (address, b, Some(c)),
            (_, [address, b]) if opcode != "cas" => (address, b, None),
            _ => return refuse("Incorrect number of operands"),
        };
        let b = self.src(b, ty)?;
        let c = match c {
            Some(c) => self.src(c, ty)?,
            None => Src::Imm(0),
        };
        let (address, space) = self.place(address, space)?;
        let access = Access { space, address, bytes: ty.bytes, count: 1 };
        self.push(Op::Atomic { access, update, d, b, c });
        Ok(())
    }
}

/// The type as loads and stores ask for it: registers of any kind hold values
/// of 8 and 16 bits.
fn loose(ty: Type) -> Type {
    if ty.kind == Kind::Float { ty } else { Type::new(Kind::Bits, ty.bytes) }
}

/// The operands of a vector, or the one.
fn elements<'o, 's>(operand: &'o Operand<'s>, count: u8) -> Lowered<&'o [Operand<'s>]> {
    match operand {
        Operand::Vector(list) if list.len() == usize::from(count) => Ok(list),
        Operand::Vector(_) => refuse("Arguments mismatch: the vector's length"),
        one if count == 1 => Ok(std::slice::from_ref(one)),
        _ => refuse("Arguments mismatch: a vector is expected"),
    }
}
