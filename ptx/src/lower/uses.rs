//! Which registers an instruction reads and writes.

use super::super::code::{Access, Base, CARRY, Detail, Instr, Op, Slot, Src, Touch};

/// The registers of its frame that an instruction reads and writes.
#[derive(Debug, Default)]
pub(super) struct Uses {
    pub(super) reads: Vec<Slot>,
    pub(super) writes: Vec<Slot>,
}

impl Uses {
    /// Of an instruction; none if what it does is not told here.
    pub(super) fn of(instr: &Instr) -> Option<Self> {
        let mut uses = Self::default();
        uses.reads.extend(instr.guard.map(|(slot, _)| slot));
        match &instr.op {
            Op::Unary { d, a, .. } | Op::Convert { d, a, .. } | Op::ConvertEach { d, a, .. } => {
                uses.src(&[*a]).writes.push(*d);
            }
            Op::Binary { d, a, b, .. } | Op::ConvertPair { d, a, b, .. } => {
                uses.src(&[*a, *b]).writes.push(*d);
            }
            Op::Ternary { d, a, b, c, .. }
            | Op::Lop3 { d, a, b, c, .. }
            | Op::Video { d, a, b, c, .. } => {
                uses.src(&[*a, *b, *c]).writes.push(*d);
            }
            Op::Bfi { d, a, b, position, length, .. } => {
                uses.src(&[*a, *b, *position, *length]).writes.push(*d);
            }
            Op::Carry { d, a, b, c, .. } => {
                uses.src(&[*a, *b, *c, Src::register(CARRY)]).writes.extend([*d, CARRY]);
            }
            Op::Setp { combine, p, q, a, b, .. } => {
                uses.src(combine.as_ref().map(|join| join.1).as_slice());
                uses.src(&[*a, *b]).writes.extend([*p, *q]);
            }
            Op::Set { combine, d, a, b, .. } => {
                uses.src(combine.as_ref().map(|join| join.1).as_slice());
                uses.src(&[*a, *b]).writes.push(*d);
            }
            Op::Special { d, .. } | Op::ActiveMask { d } => uses.writes.push(*d),
            Op::Address { address, d, .. } => {
                if let Base::Reg(slot) = address.base {
                    uses.reads.push(slot);
                }
                uses.writes.push(*d);
            }
            Op::Unpack { d, a, .. } => uses.src(&[*a]).writes.extend(d),
            Op::Pack { d, a, .. } => uses.src(a).writes.push(*d),
            Op::Load { access, d, .. } => uses.access(access).writes.extend(d),
            Op::Pair(pair) => {
                uses.access(&pair.first).access(&pair.second).src(&[pair.c]);
                uses.writes.extend([pair.x, pair.y, pair.d]);
            }
            Op::Store { access, a } => drop(uses.access(access).src(a)),
            Op::Atomic { access, d, b, c, .. } => {
                uses.access(access).src(b).src(&[*c]).writes.extend(d);
            }
            Op::Fetch(op) => {
                uses.src(&[op.object]).src(&op.at).src(&op.offset);
                match op.detail {
                    Detail::Level(level) => drop(uses.src(&[level])),
                    Detail::Gradient([x, y]) => drop(uses.src(&x).src(&y)),
                    Detail::Base | Detail::Gather(_) => {}
                }
                uses.writes.extend(&op.d);
            }
            Op::Surface(op) => {
                uses.src(&[op.object]).src(&op.at);
                match &op.touch {
                    Touch::Load(d) => uses.writes.extend(d),
                    Touch::Store(a) | Touch::Format(a) => drop(uses.src(a)),
                    Touch::Reduce(_, a, _) => drop(uses.src(&[*a])),
                }
            }
            Op::Query { level, d, object, .. } => uses.src(&[*level, *object]).writes.push(*d),
            Op::BrxIdx { index, .. } => drop(uses.src(&[*index])),
            Op::Warp(op) => {
                uses.src(&[op.a, op.b, op.c]).src(op.members.as_slice());
                uses.writes.extend([op.d, op.p]);
            }
            Op::Bar(op) => {
                uses.src(&[op.id]).src(op.count.as_slice());
                if let Some((_, d, p)) = op.reduce {
                    uses.src(&[p]).writes.push(d);
                }
            }
            Op::Bra { .. } | Op::Ret | Op::Exit | Op::Trap | Op::Wait | Op::Nop | Op::Fence => {}
            _ => return None,
        }
        Some(uses)
    }

    fn src(&mut self, all: &[Src]) -> &mut Self {
        self.reads.extend(all.iter().filter_map(|src| src.split().ok()));
        self
    }

    fn access(&mut self, access: &Access) -> &mut Self {
        if let Base::Reg(slot) = access.address.base {
            self.reads.push(slot);
        }
        self
    }
}
