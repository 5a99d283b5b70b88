//! `wmma`: matrices of a warp whose layout nobody may know. It is that of `mma`.

use super::super::code::{Access, Op, Order};
use super::super::fragment::{Element, Fragment, Role, Sum, TileOp};
use super::super::tree::Operand;
use super::super::types::Type;
use super::matrix::{Shape, shape};
use super::memory::space;
use super::modifiers::Modifiers;
use super::{Body, Lowered, Refusal, refuse};

/// Whether fragments of `a` and `b` have a shape.
fn fits(shape: Shape, element: Element) -> bool {
    let tall = [(16, 16, 16), (32, 8, 16), (8, 32, 16)].contains(&shape);
    match element {
        Element::F16 | Element::BF16 | Element::S8 | Element::U8 => tall,
        Element::TF32 => shape == (16, 16, 8),
        Element::F64 => shape == (8, 8, 4),
        Element::S4 | Element::U4 => shape == (8, 8, 32),
        Element::B1 => shape == (8, 8, 128),
        _ => false,
    }
}

/// Whether fragments of `c` have a shape.
fn sums(shape: Shape, element: Element) -> bool {
    let tall = [(16, 16, 16), (32, 8, 16), (8, 32, 16)].contains(&shape);
    match element {
        Element::F16 => tall,
        Element::F32 => tall || shape == (16, 16, 8),
        Element::S32 => tall || matches!(shape, (8, 8, 32 | 128)),
        Element::F64 => shape == (8, 8, 4),
        _ => false,
    }
}

/// The registers of a fragment.
fn registers(fragment: &Fragment) -> usize {
    match (fragment.role, fragment.element) {
        // Elements are there more than once.
        (Role::A | Role::B, Element::F16) => 8,
        _ => fragment.registers(),
    }
}

/// The first target that has it.
fn needs(shape: Shape, element: Element) -> u32 {
    match element {
        Element::F16 | Element::F32 if shape != (16, 16, 8) => 70,
        Element::S8 | Element::U8 | Element::S32 => 72,
        Element::S4 | Element::U4 | Element::B1 => 75,
        _ => 80,
    }
}

fn fragment(role: Role, element: Element, (m, n, k): Shape) -> Fragment {
    match role {
        Role::A => Fragment::new(role, element, m, k),
        Role::B => Fragment::new(role, element, k, n),
        Role::C => Fragment::new(role, element, m, n),
    }
}

impl<'s> Body<'_, 's> {
    pub(super) fn wmma(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        match m.next() {
            "load" => self.wmma_move(m, operands, true),
            "store" => self.wmma_move(m, operands, false),
            "mma" => self.wmma_mma(m, operands),
            _ => Err(Refusal::Unsupported),
        }
    }

    fn wmma_move(
        &mut self,
        m: &mut Modifiers<'_>,
        operands: &[Operand<'s>],
        load: bool,
    ) -> Lowered<()> {
        let role = match m.next() {
            "a" if load => Role::A,
            "b" if load => Role::B,
            "c" if load => Role::C,
            "d" if !load => Role::C,
            _ => return Err(Refusal::Unsupported),
        };
        if !(m.take("sync") && m.take("aligned")) {
            return Err(Refusal::Unsupported);
        }
        let by_rows = m.take_any(&["row", "col"]).ok_or(Refusal::Unsupported)? == "row";
        let shape = shape(m.shape())?;
        let constant = m.has("const");
        let space = space(m);
        let element = Element::named(m.next()).ok_or(Refusal::Unsupported)?;
        m.end()?;
        let straight = match (role, element.bits()) {
            (Role::A, 1 | 4) => by_rows,
            (Role::B, 1 | 4) => !by_rows,
            _ => true,
        };
        let exists = if role == Role::C { sums(shape, element) } else { fits(shape, element) };
        if constant || !exists || !straight {
            return Err(Refusal::Unsupported);
        }
        self.requires("wmma with this shape and type", needs(shape, element))?;
        let fragment = fragment(role, element, shape);
        let (d, address, stride) = match (load, operands) {
            (true, [d, address, rest @ ..]) => (d, address, rest),
            (false, [address, d, rest @ ..]) => (d, address, rest),
            _ => return refuse("Incorrect number of operands"),
        };
        let stride = match stride {
            [] => self.constant(if by_rows { fragment.columns } else { fragment.rows } as u64),
            [stride] => self.src(stride, Type::U32)?,
            _ => return refuse("Incorrect number of operands"),
        };
        let count = registers(&fragment);
        let mut op = TileOp { fragment, by_rows, stride, d: Box::default(), a: Box::default() };
        if load {
            op.d = self.slots_of(d, count, element)?;
        } else {
            op.a = self.sources_of(d, count, element)?;
        }
        let (address, space) = self.place(address, space)?;
        let access = Access { space, address, bytes: 1, count: 1, order: Order::Weak };
        self.push(Op::Tile { access, op: Box::new(op) });
        Ok(())
    }

    fn wmma_mma(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        let popc = m.take_any(&["xor", "and"]);
        if popc.is_some() && !m.take("popc") || !(m.take("sync") && m.take("aligned")) {
            return Err(Refusal::Unsupported);
        }
        // The layouts are those of the loads, and fragments have forgotten them.
        let lines = |m: &mut Modifiers<'_>| m.take_any(&["row", "col"]).ok_or(Refusal::Unsupported);
        let straight = (lines(m)?, lines(m)?) == ("row", "col");
        let shape = shape(m.shape())?;
        let rounding = m.rounding();
        let finite = m.take("satfinite");
        let element = |m: &mut Modifiers<'_>| Element::named(m.next()).ok_or(Refusal::Unsupported);
        let (to, mut a, mut b) = (element(m)?, Element::F16, Element::F16);
        let mut c = element(m)?;
        // Of f16, only `d` and `c` are named.
        if !m.peek().is_empty() {
            (a, b, c) = (c, element(m)?, element(m)?);
            if a == Element::F16 {
                return Err(Refusal::Unsupported);
            }
        }
        m.end()?;
        if finite && a == Element::F16 && self.scene.source.version >= 65 {
            return refuse(
                "'.satfinite' of floating-point types is not supported from .version 6.5 on",
            );
        }
        let alike = a == b && (popc.is_some() == (a == Element::B1));
        let expected = match a {
            Element::F16 => {
                matches!((to, c), (Element::F16 | Element::F32, Element::F16 | Element::F32))
            }
            Element::BF16 | Element::TF32 => (to, c) == (Element::F32, Element::F32),
            Element::F64 => (to, c) == (Element::F64, Element::F64),
            _ => (to, c) == (Element::S32, Element::S32),
        };
        let saturates = a == Element::F16 || a.is_byte() || a.is_nibble();
        if !alike
            || !expected
            || !fits(shape, a)
            || finite && !saturates
            || rounding.is_some() && a != Element::F64
            || !straight && a.bits() < 8
        {
            return Err(Refusal::Unsupported);
        }
        self.requires("wmma with this shape and type", needs(shape, a))?;
        let [d_, a_, b_, c_] = operands else {
            return refuse("Incorrect number of operands");
        };
        let sum = match (popc, a) {
            (Some("xor"), _) => Sum::Xor,
            (_, Element::TF32) => Sum::Fours(a.least_exponent()),
            _ => Sum::of(a),
        };
        let fragments = [
            fragment(Role::C, to, shape),
            fragment(Role::A, a, shape),
            fragment(Role::B, b, shape),
            fragment(Role::C, c, shape),
        ];
        let counts = fragments.map(|one| registers(&one));
        self.product(fragments, counts, [d_, a_, b_, c_], sum, finite, None)
    }
}
