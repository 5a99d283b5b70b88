//! One instruction, by a group of lanes.

use super::super::code::{Address, BarOp, Base, CARRY, Op, Slot, Src};
use super::super::ops;
use super::barrier::Stay;
use super::block::Shared;
use super::warp::{Flow, Group, LANES, Warp, lanes};
use super::{Fault, access, special};

/// The registers of a group's frame.
pub(super) struct Frame<'w> {
    registers: &'w mut [u64],
}

impl Frame<'_> {
    #[inline]
    pub(super) fn get(&self, lane: usize, src: Src) -> u64 {
        match src {
            Src::Reg(slot) => self.registers[slot as usize * LANES + lane],
            Src::Not(slot) => self.registers[slot as usize * LANES + lane] ^ 1,
            Src::Imm(value) => value,
        }
    }

    #[inline]
    pub(super) fn set(&mut self, lane: usize, slot: Slot, value: u64) {
        self.registers[slot as usize * LANES + lane] = value;
    }

    /// Runs a function on each lane of a mask.
    #[inline]
    fn each(&mut self, mask: u32, mut run: impl FnMut(&mut Self, usize)) {
        if mask == u32::MAX {
            (0..LANES).for_each(|lane| run(self, lane));
        } else {
            lanes(mask).for_each(|lane| run(self, lane));
        }
    }
}

impl Warp {
    /// The registers of a group's frame.
    pub(super) fn frame(&mut self, group: Group) -> Frame<'_> {
        Frame { registers: &mut self.registers[group.base as usize * LANES..] }
    }

    /// The address of a lane's access.
    #[inline]
    pub(super) fn address(&self, shared: &Shared<'_>, lane: usize, address: Address) -> u64 {
        let base = match address.base {
            Base::Zero => 0,
            Base::Reg(slot) => self.get(lane, slot),
            Base::Global(index) => {
                shared.launch.globals.get(index as usize).copied().unwrap_or_default()
            }
            Base::Frame => u64::from(self.local_base[lane]),
        };
        base.wrapping_add_signed(address.offset)
    }

    /// The value of an operand of a lane.
    #[inline]
    pub(super) fn value(&self, lane: usize, src: Src) -> u64 {
        match src {
            Src::Reg(slot) => self.get(lane, slot),
            Src::Not(slot) => self.get(lane, slot) ^ 1,
            Src::Imm(value) => value,
        }
    }
}

/// Runs the instruction at a group's counter.
pub(super) fn step(warp: &mut Warp, shared: &mut Shared<'_>, group: Group) -> Result<Flow, Fault> {
    let kernel = shared.kernel;
    let Some(instr) = kernel.code.get(group.pc as usize) else {
        return Err(Fault::IllegalInstruction);
    };
    let mut mask = group.mask;
    if let Some((slot, negated)) = instr.guard {
        let frame = warp.frame(group);
        let mut held = 0;
        for lane in lanes(mask) {
            let value = frame.get(lane, Src::Reg(slot)) != 0;
            held |= u32::from(value != negated) << lane;
        }
        mask = held;
        if mask == 0 {
            return Ok(Flow::Next);
        }
    }
    if arithmetic(&instr.op, &mut warp.frame(group), mask) {
        return Ok(Flow::Next);
    }
    match &instr.op {
        Op::Load { access, d, extend } => access::load(warp, shared, mask, access, d, *extend)?,
        Op::Store { access, a } => access::store(warp, shared, mask, access, a)?,
        Op::Atomic { access, update, d, b, c } => {
            access::atomic(warp, shared, mask, access, *update, *d, (*b, *c))?;
        }
        Op::Special { which, d } => {
            let values = special::Values::new(shared, warp.index);
            for lane in lanes(mask) {
                let value = values.of(*which, lane as u32, warp.tid[lane]);
                warp.set(lane, *d, value);
            }
        }
        Op::Address { address, mask: bits, d } => {
            for lane in lanes(mask) {
                let value = warp.address(shared, lane, *address) & bits;
                warp.set(lane, *d, value);
            }
        }
        Op::ActiveMask { d } => {
            lanes(mask).for_each(|lane| warp.set(lane, *d, u64::from(mask)));
        }
        Op::Trap => return Err(Fault::Trap),
        Op::Bra { target } => {
            if mask == group.mask {
                return Ok(Flow::Jump(*target));
            }
            warp.place(group.mask & !mask, group.pc + 1);
            warp.place(mask, *target);
            return Ok(Flow::Part);
        }
        Op::BrxIdx { targets, index } => {
            warp.place(group.mask, group.pc + 1);
            for lane in lanes(mask) {
                let index = warp.value(lane, *index) as usize;
                warp.pc[lane] = *targets.get(index).ok_or(Fault::IllegalInstruction)?;
            }
            return Ok(Flow::Part);
        }
        Op::Exit => {
            warp.place(group.mask & !mask, group.pc + 1);
            warp.exit(mask);
            return Ok(Flow::Part);
        }
        Op::Call(call) => {
            warp.place(group.mask, group.pc + 1);
            warp.call(call, mask, group)?;
            return Ok(Flow::Part);
        }
        Op::Ret => {
            warp.place(group.mask, group.pc + 1);
            warp.ret(kernel, mask);
            return Ok(Flow::Part);
        }
        Op::Warp(op) => {
            if op.members.is_none() {
                warp.collect(kernel, mask, group.pc);
                return Ok(Flow::Next);
            }
            // They wait here, at this very instruction.
            warp.place(group.mask & !mask, group.pc + 1);
            warp.place(mask, group.pc);
            warp.gathered |= mask;
            warp.gather(kernel)?;
            return Ok(Flow::Part);
        }
        Op::Bar(op) => {
            warp.place(group.mask, group.pc + 1);
            bar(warp, shared, op, mask)?;
            return Ok(if op.wait { Flow::Part } else { Flow::Next });
        }
        _ => {}
    }
    Ok(Flow::Next)
}

/// Arrival at a barrier of the block.
fn bar(warp: &mut Warp, shared: &mut Shared<'_>, op: &BarOp, mask: u32) -> Result<(), Fault> {
    let whole = mask == warp.live();
    for lane in lanes(mask) {
        let id = warp.value(lane, op.id);
        let count = op.count.map_or(0, |count| warp.value(lane, count) as u32);
        if id > 15 {
            return Err(Fault::IllegalInstruction);
        }
        if op.wait {
            let reduce = op.reduce.map(|(vote, d, p)| (vote, d, warp.value(lane, p) != 0));
            warp.wait_at(lane, Stay { id: id as u8, count, reduce });
        } else {
            let first = lane == mask.trailing_zeros() as usize;
            let threads = match (whole, first) {
                (true, true) => 32,
                (true, false) => 0,
                (false, _) => 1,
            };
            shared.barriers.arrive(id, threads, count)?;
        }
    }
    Ok(())
}

/// Instructions that only have to do with registers of the frame; whether it
/// was one.
#[inline]
fn arithmetic(op: &Op, frame: &mut Frame<'_>, mask: u32) -> bool {
    match *op {
        Op::Unary { f, d, a } => frame.each(mask, |r, lane| {
            let value = f(r.get(lane, a));
            r.set(lane, d, value);
        }),
        Op::Binary { f, d, a, b } => frame.each(mask, |r, lane| {
            let value = f(r.get(lane, a), r.get(lane, b));
            r.set(lane, d, value);
        }),
        Op::Ternary { f, d, a, b, c } => frame.each(mask, |r, lane| {
            let value = f(r.get(lane, a), r.get(lane, b), r.get(lane, c));
            r.set(lane, d, value);
        }),
        Op::Convert { ref how, d, a } => frame.each(mask, |r, lane| {
            let value = how.apply(r.get(lane, a));
            r.set(lane, d, value);
        }),
        Op::Setp { test, combine, p, q, a, b } => frame.each(mask, |r, lane| {
            let test = test(r.get(lane, a), r.get(lane, b));
            let (yes, no) = match combine {
                Some((join, c)) => {
                    let c = r.get(lane, c);
                    (join(test, c), join(test ^ 1, c))
                }
                None => (test, test ^ 1),
            };
            r.set(lane, p, yes);
            r.set(lane, q, no);
        }),
        Op::Set { test, combine, d, yes, a, b } => frame.each(mask, |r, lane| {
            let mut test = test(r.get(lane, a), r.get(lane, b));
            if let Some((join, c)) = combine {
                test = join(test, r.get(lane, c));
            }
            r.set(lane, d, if test != 0 { yes } else { 0 });
        }),
        Op::Lop3 { d, a, b, c, table } => frame.each(mask, |r, lane| {
            let value = ops::lop3(r.get(lane, a), r.get(lane, b), r.get(lane, c), table);
            r.set(lane, d, value);
        }),
        Op::Bfi { d, a, b, position, length, bits } => frame.each(mask, |r, lane| {
            let (position, length) = (r.get(lane, position), r.get(lane, length));
            let value = ops::bfi(r.get(lane, a), r.get(lane, b), position, length, bits);
            r.set(lane, d, value);
        }),
        Op::Carry { kind, bits, reads, writes, d, a, b, c } => frame.each(mask, |r, lane| {
            let carry = if reads { r.get(lane, Src::Reg(CARRY)) } else { 0 };
            let (a, b, c) = (r.get(lane, a), r.get(lane, b), r.get(lane, c));
            let (value, carry) = ops::carry(kind, bits, a, b, c, carry);
            r.set(lane, d, value);
            if writes {
                r.set(lane, CARRY, carry);
            }
        }),
        Op::Unpack { d, count, bits, a } => frame.each(mask, |r, lane| {
            let value = r.get(lane, a);
            for (part, &d) in (0u32..).zip(&d[..usize::from(count)]) {
                r.set(lane, d, value >> (part * bits) & (u64::MAX >> (64 - bits)));
            }
        }),
        Op::Pack { d, a, count, bits } => frame.each(mask, |r, lane| {
            let mut value = 0;
            for (part, &a) in (0u32..).zip(&a[..usize::from(count)]) {
                value |= r.get(lane, a) << (part * bits);
            }
            r.set(lane, d, value);
        }),
        _ => return false,
    }
    true
}
