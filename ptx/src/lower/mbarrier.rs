//! Barriers in shared memory: `mbarrier`.

use super::super::code::{Access, MemoryBarrier, Op, Order, SINK, Slot, Space};
use super::super::tree::Operand;
use super::super::types::Type;
use super::modifiers::Modifiers;
use super::operand::exactly;
use super::{Body, Lowered, Refusal, refuse};

/// The space that a barrier is said to lie in: `shared::cluster` where it may be another block's.
fn shared(m: &mut Modifiers<'_>, others: bool) -> Space {
    if others && m.take("shared::cluster") {
        return Space::Cluster;
    }
    if m.take_any(&["shared", "shared::cta"]).is_some() { Space::Shared } else { Space::Generic }
}

impl<'s> Body<'_, 's> {
    pub(super) fn memory_barrier(
        &mut self,
        m: &mut Modifiers<'_>,
        operands: &[Operand<'s>],
    ) -> Lowered<()> {
        let name = m.next();
        let mut kind = match name {
            "init" => MemoryBarrier::Init,
            "inval" => MemoryBarrier::Invalidate,
            "arrive" => MemoryBarrier::Arrive,
            "arrive_drop" => MemoryBarrier::Drop,
            "test_wait" | "try_wait" => MemoryBarrier::Test,
            "expect_tx" => MemoryBarrier::Expect,
            "complete_tx" => MemoryBarrier::Complete,
            "pending_count" => return self.pending_count(m, operands),
            _ => return Err(Refusal::Unsupported),
        };
        let arrives = matches!(kind, MemoryBarrier::Arrive | MemoryBarrier::Drop);
        let waits = kind == MemoryBarrier::Test;
        let moves = matches!(kind, MemoryBarrier::Expect | MemoryBarrier::Complete);
        let mut counted = false;
        if arrives && m.take("expect_tx") {
            kind = match kind {
                MemoryBarrier::Arrive => MemoryBarrier::ArriveExpect,
                _ => MemoryBarrier::DropExpect,
            };
        } else if arrives && m.take("noComplete") {
            counted = true;
        }
        if waits && m.take("parity") {
            kind = MemoryBarrier::TestParity;
        }
        // The order and the scope come together.
        let order: &[&str] = match (arrives, waits) {
            (true, _) => &["release", "relaxed"],
            (_, true) => &["acquire", "relaxed"],
            _ if moves => &["relaxed"],
            _ => &[],
        };
        if order.iter().any(|&one| m.take(one)) {
            let scope = m.take_any(&["cta", "cluster"]).ok_or(Refusal::Unsupported)?;
            if counted && scope == "cluster" {
                return Err(Refusal::Unsupported);
            }
        }
        let space = shared(m, arrives || moves);
        if m.end_type()? != Type::B64 {
            return Err(Refusal::Unsupported);
        }
        let expects = matches!(kind, MemoryBarrier::ArriveExpect | MemoryBarrier::DropExpect);
        if expects || moves || space == Space::Cluster {
            self.requires("mbarrier of transactions and clusters", 90)?;
        }
        self.requires("mbarrier", if name == "try_wait" { 90 } else { 80 })?;
        let (d, address, a) = match (kind, operands) {
            (MemoryBarrier::Init, [address, count]) => (SINK, address, self.src(count, Type::U32)?),
            (MemoryBarrier::Invalidate, [address]) => (SINK, address, self.constant(0)),
            (MemoryBarrier::Expect | MemoryBarrier::Complete, [address, bytes]) => {
                (SINK, address, self.src(bytes, Type::U32)?)
            }
            (MemoryBarrier::Arrive | MemoryBarrier::Drop, [d, address]) if !counted => {
                (self.state(d, space)?, address, self.constant(1))
            }
            (_, [d, address, count]) if arrives => {
                (self.state(d, space)?, address, self.src(count, Type::U32)?)
            }
            (MemoryBarrier::Test, [p, address, state, hint @ ..]) => {
                self.hint(name, hint)?;
                (self.d(p, Type::PRED)?, address, self.src(state, Type::B64)?)
            }
            (MemoryBarrier::TestParity, [p, address, parity, hint @ ..]) => {
                self.hint(name, hint)?;
                if matches!(parity, Operand::Int(number) if *number > 1) {
                    return refuse("Arguments mismatch: a parity of 0 or 1 is expected");
                }
                (self.d(p, Type::PRED)?, address, self.src(parity, Type::U32)?)
            }
            _ => return refuse("Incorrect number of operands"),
        };
        let (address, space) = self.place(address, space)?;
        if space == Space::Global {
            return refuse("State space mismatch between instruction and address");
        }
        let access = Access { space, address, bytes: 8, count: 1, order: Order::Fence };
        self.push(Op::MemoryBarrier { kind, access, d, a });
        Ok(())
    }

    /// Where the state of an arrival goes: a barrier of another block gives none.
    fn state(&mut self, d: &Operand<'s>, space: Space) -> Lowered<Slot> {
        if space == Space::Cluster && *d != Operand::Name("_") {
            return refuse("Arguments mismatch: '_' is expected for the state");
        }
        self.d(d, Type::U64)
    }

    /// How long `try_wait` may wait, which is not long here.
    fn hint(&mut self, name: &str, hint: &[Operand<'s>]) -> Lowered<()> {
        match hint {
            [] => Ok(()),
            [time] if name == "try_wait" => self.src(time, Type::U32).map(drop),
            _ => refuse("Incorrect number of operands"),
        }
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
        let space = shared(m, false);
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
