//! Barriers in shared memory: `mbarrier`.

use super::super::code::{Access, MemoryBarrier, Op, Order, SINK, Space};
use super::super::tree::Operand;
use super::super::types::Type;
use super::modifiers::Modifiers;
use super::operand::exactly;
use super::{Body, Lowered, Refusal, refuse};

/// The spaces that a barrier may be said to lie in.
const SHARED: &[&str] = &["shared", "shared::cta"];

impl<'s> Body<'_, 's> {
    pub(super) fn memory_barrier(
        &mut self,
        m: &mut Modifiers<'_>,
        operands: &[Operand<'s>],
    ) -> Lowered<()> {
        let mut kind = match m.next() {
            "init" => MemoryBarrier::Init,
            "inval" => MemoryBarrier::Invalidate,
            "arrive" => MemoryBarrier::Arrive,
            "arrive_drop" => MemoryBarrier::Drop,
            "test_wait" | "try_wait" => MemoryBarrier::Test,
            "pending_count" => return self.pending_count(m, operands),
            _ => return Err(Refusal::Unsupported),
        };
        m.take("noComplete");
        if kind == MemoryBarrier::Test && m.take("parity") {
            kind = MemoryBarrier::TestParity;
        }
        m.take_any(&["acquire", "release", "relaxed"]);
        m.take_any(&["cta", "cluster"]);
        let space = if m.take_any(SHARED).is_some() { Space::Shared } else { Space::Generic };
        if m.end_type()? != Type::B64 {
            return Err(Refusal::Unsupported);
        }
        let (d, address, a) = match (kind, operands) {
            (MemoryBarrier::Init, [address, count]) => (SINK, address, self.src(count, Type::U32)?),
            (MemoryBarrier::Invalidate, [address]) => (SINK, address, self.constant(0)),
            (MemoryBarrier::Arrive | MemoryBarrier::Drop, [d, address]) => {
                (self.d(d, Type::B64)?, address, self.constant(1))
            }
            (MemoryBarrier::Arrive | MemoryBarrier::Drop, [d, address, count]) => {
                (self.d(d, Type::B64)?, address, self.src(count, Type::U32)?)
            }
            (MemoryBarrier::Test, [p, address, state] | [p, address, state, _]) => {
                (self.d(p, Type::PRED)?, address, self.src(state, Type::B64)?)
            }
            (MemoryBarrier::TestParity, [p, address, parity] | [p, address, parity, _]) => {
                (self.d(p, Type::PRED)?, address, self.src(parity, Type::U32)?)
            }
            _ => return refuse("Incorrect number of operands"),
        };
        let (address, space) = self.place(address, space)?;
        let access = Access { space, address, bytes: 8, count: 1, order: Order::Fence };
        self.push(Op::MemoryBarrier { kind, access, d, a });
        Ok(())
    }

    /// The arrivals that a state waits for.
    fn pending_count(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        if m.end_type()? != Type::B64 {
            return Err(Refusal::Unsupported);
        }
        let [d, a] = exactly(operands)?;
        let (d, a) = (self.d(d, Type::U32)?, self.src(a, Type::B64)?);
        self.push(Op::Unary { f: &|a: u64| a & 0xf_ffff, d, a });
        Ok(())
    }

    /// `cp.async.mbarrier.arrive`: the copies are done, so that it arrives at once.
    pub(super) fn copies_arrive(
        &mut self,
        m: &mut Modifiers<'_>,
        operands: &[Operand<'s>],
    ) -> Lowered<()> {
        if !m.take("arrive") {
            return Err(Refusal::Unsupported);
        }
        // Without it, the barrier first waits for one arrival more.
        let counted = m.take("noinc");
        let space = if m.take_any(SHARED).is_some() { Space::Shared } else { Space::Generic };
        if m.end_type()? != Type::B64 {
            return Err(Refusal::Unsupported);
        }
        let [address] = exactly(operands)?;
        let (address, space) = self.place(address, space)?;
        let access = Access { space, address, bytes: 8, count: 1, order: Order::Fence };
        let (kind, d, a) = (MemoryBarrier::Arrive, SINK, self.constant(u64::from(counted)));
        self.push(Op::MemoryBarrier { kind, access, d, a });
        Ok(())
    }
}
