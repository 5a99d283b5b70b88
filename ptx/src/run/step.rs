//! One instruction, by a group of lanes.

use super::super::code::{
    BarOp, CARRY, CarryKind, Halves, Instr, Op, PARAM_WINDOW, SINK, Slot, Src, WINDOW,
};
use super::super::ops::lanes::lanes;
use super::super::ops::wide::held;
use super::super::ops::{self, Row};
use super::super::{GlobalSpace, Kernel};
use super::barrier::Stay;
use super::block::Shared;
use super::call::MOST_LOCAL;
use super::warp::{Flow, Group, Warp};
use super::{
    Fault, access, bulk, cluster, left_out, matrix, mbarrier, multimem, special, surface, tensor,
    texture, tile, wgmma,
};
use std::sync::atomic::{Ordering, fence};

/// Runs an instruction, which is the one at the group's counter.
#[inline]
pub(super) fn step(
    warp: &mut Warp,
    shared: &mut Shared<'_>,
    group: Group,
    instr: &Instr,
) -> Result<Flow, Fault> {
    let mut mask = group.mask;
    if let Some((slot, negated)) = instr.guard {
        let guard = held(&warp.registers[(group.base() + slot) as usize]) & mask;
        mask = if negated { mask & !guard } else { guard };
        if mask == 0 {
            return Ok(Flow::Next);
        }
    }
    match &instr.op {
        Op::Unary { f, d, a } => {
            let a = Warp::at(group, *a);
            warp.compute(group, *d, mask, |rows, d| f.run(rows, d, a));
        }
        Op::Binary { f, d, a, b } => {
            let (a, b) = (Warp::at(group, *a), Warp::at(group, *b));
            warp.compute(group, *d, mask, |rows, d| f.run(rows, d, a, b));
        }
        Op::Ternary { f, d, a, b, c } => {
            let (a, b, c) = (Warp::at(group, *a), Warp::at(group, *b), Warp::at(group, *c));
            warp.compute(group, *d, mask, |rows, d| f.run(rows, d, a, b, c));
        }
        Op::Setp { test, combine: None, p, q: SINK, a, b } => {
            let (a, b) = (Warp::at(group, *a), Warp::at(group, *b));
            warp.compute(group, *p, mask, |rows, p| test.run(rows, p, a, b));
        }
        Op::Bra { target } => {
            if mask == group.mask {
                return Ok(Flow::Jump(*target));
            }
            warp.place(group.mask & !mask, group.pc() + 1);
            warp.place(mask, *target);
            return Ok(Flow::Part);
        }
        Op::Load { access, d, extend } => {
            access::load(warp, shared, group, mask, access, d, *extend)?;
        }
        Op::Pair(pair) => {
            let made = if mask == u32::MAX { access::pairs(warp, shared, group, pair) } else { 0 };
            if made > 0 {
                let instructions = 3 * made as u32;
                shared.steps += u64::from(instructions - 1);
                return Ok(Flow::Jump(group.pc() + instructions));
            }
            access::load(warp, shared, group, mask, &pair.first, &[pair.x], 0)?;
        }
        Op::Store { access, a } => access::store(warp, shared, group, mask, access, a)?,
        Op::Special { which, d } => {
            let values = special::Values::new(shared, warp.index);
            match which.is_of_warp() {
                true => warp.fill(group, *d, mask, values.of(*which, 0, warp.tid[0])),
                false => {
                    let value = |lane: usize| values.of(*which, lane as u32, warp.tid[lane]);
                    let out = std::array::from_fn(value);
                    warp.put(group, *d, mask, &out);
                }
            }
        }
        Op::Address { address, mask: bits, d } => {
            let mut out = [0; 32];
            warp.addresses(shared, group, *address, &mut out);
            out.iter_mut().for_each(|value| *value &= bits);
            warp.put(group, *d, mask, &out);
        }
        Op::Exit => {
            warp.place(group.mask & !mask, group.pc() + 1);
            warp.exit(mask);
            return Ok(Flow::Part);
        }
        _ => return rare(warp, shared, group, mask, &instr.op),
    }
    Ok(Flow::Next)
}

/// The instructions that are not among the most frequent.
fn rare(
    warp: &mut Warp,
    shared: &mut Shared<'_>,
    group: Group,
    mask: u32,
    op: &Op,
) -> Result<Flow, Fault> {
    let kernel = shared.kernel;
    match op {
        Op::Atomic { access, update, d, b, c } => {
            let op = access::Atomic { access, update: *update, d, b, c: *c };
            access::atomic(warp, shared, group, mask, &op)?;
        }
        Op::MultimemStore { access, update, a } => {
            multimem::store(warp, shared, group, mask, access, *update, a)?;
        }
        Op::MultimemLoad { access, update, d } => {
            multimem::load(warp, shared, group, mask, access, *update, d)?;
        }
        Op::AtomicWide { access, d, expected, new } => {
            let op = access::Wide { access, d: *d, expected: *expected, new: *new };
            access::wide(warp, shared, group, mask, &op)?;
        }
        Op::CopyAsync { to, from, bytes, given } => {
            access::copy(warp, shared, group, mask, (to, from, *bytes), *given)?;
        }
        Op::InDeviceMemory { d, a, constant } => {
            let launch = shared.launch;
            let constants = || {
                let all = launch.module.globals.iter().zip(launch.globals);
                all.filter(|(one, _)| one.space == GlobalSpace::Const)
            };
            let a = warp.row(kernel, group, *a);
            let out = a.map(|address| {
                let is_constant = constants().any(|(one, &base)| {
                    address.checked_sub(base).is_some_and(|offset| offset < one.size as u64)
                });
                let in_window = address < PARAM_WINDOW + WINDOW;
                u64::from(!in_window && is_constant == *constant)
            });
            warp.put(group, *d, mask, &out);
        }
        Op::Matrix(op) => matrix::multiply(warp, shared, group, mask, op),
        Op::LoadMatrix { access, d, transposed } => {
            matrix::load(warp, shared, group, mask, (access, *transposed), d)?;
        }
        Op::StoreMatrix { access, a, transposed } => {
            matrix::store(warp, shared, group, (access, *transposed), a)?;
        }
        Op::Transpose { d, a } => matrix::transpose(warp, shared, group, mask, *d, *a),
        Op::Tile { access, op } => tile::touch(warp, shared, group, mask, access, op)?,
        Op::MemoryBarrier { kind, access, d, a } => {
            mbarrier::touch(warp, shared, group, mask, (*kind, access), (*d, *a))?;
        }
        Op::Fetch(op) => texture::fetch(warp, shared, group, mask, op)?,
        Op::Surface(op) => surface::touch(warp, shared, group, mask, op)?,
        Op::Query { what, level, surface, d, object } => {
            let (asked, of) = ((*what, *surface), (*d, *object, *level));
            texture::query(warp, shared, group, mask, asked, of)?;
        }
        Op::Fence => {
            fence(Ordering::SeqCst);
            shared.waits += 1;
        }
        Op::Alloca { d, size, align } => {
            for lane in lanes(mask) {
                let size = warp.value(kernel, lane, *size);
                let start = u64::from(warp.local_top[lane].next_multiple_of(*align));
                let end = start.saturating_add(size);
                if end > u64::from(MOST_LOCAL) {
                    return Err(Fault::IllegalAddress);
                }
                warp.local_top[lane] = end as u32;
                if warp.local[lane].len() < end as usize {
                    warp.local[lane].resize(end as usize, 0);
                }
                warp.set(lane, *d, start);
            }
        }
        Op::StackSave { d } => {
            lanes(mask).for_each(|lane| warp.set(lane, *d, u64::from(warp.local_top[lane])));
        }
        Op::StackRestore { a } => {
            for lane in lanes(mask) {
                let top = warp.value(kernel, lane, *a);
                if top > u64::from(warp.local_top[lane]) {
                    return Err(Fault::IllegalAddress);
                }
                warp.local_top[lane] = top as u32;
            }
        }
        Op::ActiveMask { d } => warp.put(group, *d, mask, &[u64::from(mask); 32]),
        Op::Trap => return Err(Fault::Trap),
        Op::BrxIdx { targets, index } => {
            warp.place(group.mask, group.pc() + 1);
            for lane in lanes(mask) {
                let index = warp.value(kernel, lane, *index) as usize;
                warp.pc[lane] = *targets.get(index).ok_or(Fault::InvalidPc)?;
            }
            return Ok(Flow::Part);
        }
        Op::Call(call) => {
            warp.place(group.mask, group.pc() + 1);
            warp.call(shared, call, mask, group)?;
            return Ok(Flow::Part);
        }
        Op::Ret => {
            warp.place(group.mask, group.pc() + 1);
            warp.ret(kernel, mask);
            return Ok(Flow::Part);
        }
        Op::Warp(op) => {
            if op.members.is_none() {
                warp.collect(kernel, mask, group.pc());
                return Ok(Flow::Next);
            }
            // They wait here, at this very instruction.
            warp.place(group.mask & !mask, group.pc() + 1);
            warp.place(mask, group.pc());
            warp.gathered |= mask;
            warp.gather(kernel)?;
            return Ok(Flow::Part);
        }
        Op::Bar(op) => {
            warp.place(group.mask, group.pc() + 1);
            bar(warp, shared, op, mask)?;
            return Ok(if op.wait { Flow::Part } else { Flow::Next });
        }
        Op::ClusterBarrier { wait: false } => warp.arrived |= mask,
        Op::ClusterBarrier { wait: true } => {
            warp.place(group.mask, group.pc() + 1);
            cluster::wait(warp, mask);
            return Ok(Flow::Part);
        }
        Op::MapAddress { d, a, rank, generic } => {
            cluster::map(warp, shared, group, mask, (*d, *a, *rank), *generic);
        }
        Op::RankOf { d, a, generic } => {
            cluster::rank_of(warp, shared, group, mask, (*d, *a), *generic);
        }
        Op::Bulk(op) => bulk::copy(warp, shared, group, mask, op)?,
        Op::Tensor(op) => tensor::copy(warp, shared, group, mask, op)?,
        Op::Replace(op) => tensor::replace(warp, shared, group, mask, op)?,
        Op::Send(op) => bulk::send(warp, shared, group, mask, op)?,
        Op::Wgmma(op) => wgmma::multiply(warp, shared, group, mask, op)?,
        Op::OneByOne(instr) => left_out::run(warp, shared, group, instr)?,
        Op::Wait => shared.waits += 1,
        Op::Nop => {}
        _ => arithmetic(warp, kernel, group, mask, op),
    }
    Ok(Flow::Next)
}

/// Arrival at a barrier of the block.
fn bar(warp: &mut Warp, shared: &mut Shared<'_>, op: &BarOp, mask: u32) -> Result<(), Fault> {
    let whole = mask == warp.live();
    let same = |src: Src| src.split().err().map(|_| warp.value(shared.kernel, 0, src));
    if let (true, true, None, Some(id)) = (op.wait, whole, op.reduce, same(op.id)) {
        let count = op.count.map_or(Some(0), same);
        if let Some(count) = count {
            warp.wait_together(Stay { id: id as u8 & 15, count: count as u32, reduce: None });
            return Ok(());
        }
    }
    for lane in lanes(mask) {
        // The number's low bits count.
        let id = warp.value(shared.kernel, lane, op.id) & 15;
        let count = op.count.map_or(0, |count| warp.value(shared.kernel, lane, count) as u32);
        if op.wait {
            let reduce =
                op.reduce.map(|(vote, d, p)| (vote, d, warp.value(shared.kernel, lane, p) != 0));
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

/// The less frequent instructions that only have to do with registers.
fn arithmetic(warp: &mut Warp, kernel: &Kernel, group: Group, mask: u32, op: &Op) {
    let row = |src: Src| warp.row(kernel, group, src);
    let mut out = [0; 32];
    match op {
        Op::Convert { how, d, a } => {
            let a = row(*a);
            lanes(mask).for_each(|lane| out[lane] = how.apply(a[lane]));
            warp.put(group, *d, mask, &out);
        }
        Op::ConvertPair { how, d, a, b, bits } => {
            let (a, b) = (row(*a), row(*b));
            lanes(mask)
                .for_each(|lane| out[lane] = how.apply(a[lane]) << bits | how.apply(b[lane]));
            warp.put(group, *d, mask, &out);
        }
        Op::ConvertEach { how, d, a, from, to } => {
            let a = row(*a);
            lanes(mask).for_each(|lane| {
                let high = how.apply(a[lane] >> from & ((1 << from) - 1));
                out[lane] = how.apply(a[lane] & ((1 << from) - 1)) | high << to;
            });
            warp.put(group, *d, mask, &out);
        }
        Op::Setp { test, combine, p, q, a, b } => {
            test.eval(row(*a), row(*b), mask, &mut out);
            let mut other = out.map(|test| test ^ 1);
            if let Some((join, c)) = combine.as_deref() {
                let c = row(*c);
                let (yes, no) = (out, other);
                join.eval(&yes, c, mask, &mut out);
                join.eval(&no, c, mask, &mut other);
            }
            warp.put(group, *p, mask, &out);
            warp.put(group, *q, mask, &other);
        }
        Op::Set { test, combine, d, yes, a, b } => {
            test.eval(row(*a), row(*b), mask, &mut out);
            if let Some((join, c)) = combine.as_deref() {
                let test = out;
                join.eval(&test, row(*c), mask, &mut out);
            }
            let out = out.map(|test| if test & 1 != 0 { *yes } else { 0 });
            warp.put(group, *d, mask, &out);
        }
        Op::SetHalves { test, combine, to, a, b } => {
            let (a, b) = (row(*a), row(*b));
            let low = |row: &Row| row.map(|value| value & 0xffff);
            let high = |row: &Row| row.map(|value| value >> 16 & 0xffff);
            let mut second = [0; 32];
            test.eval(&low(a), &low(b), mask, &mut out);
            test.eval(&high(a), &high(b), mask, &mut second);
            if let Some((join, c)) = combine.as_deref() {
                let (c, tests) = (row(*c), (out, second));
                join.eval(&tests.0, c, mask, &mut out);
                join.eval(&tests.1, c, mask, &mut second);
            }
            match *to {
                Halves::Predicates(p, q) => {
                    warp.put(group, p, mask, &out);
                    warp.put(group, q, mask, &second);
                }
                Halves::Values(d, yes) => {
                    let value = |lane: usize| (out[lane] * yes) | (second[lane] * yes) << 16;
                    let out = std::array::from_fn(value);
                    warp.put(group, d, mask, &out);
                }
            }
        }
        Op::Lop3 { d, a, b, c, table } => {
            ops::table(row(*a), row(*b), row(*c), *table, &mut out);
            warp.put(group, *d, mask, &out);
        }
        Op::Video { how, d, a, b, c } => {
            let (a, b, c) = (row(*a), row(*b), row(*c));
            lanes(mask).for_each(|i| out[i] = how.of(a[i], b[i], c[i]));
            warp.put(group, *d, mask, &out);
        }
        Op::Bfi { d, a, b, position, length, bits } => {
            let (a, b, position, length) = (row(*a), row(*b), row(*position), row(*length));
            lanes(mask).for_each(|i| out[i] = ops::bfi(a[i], b[i], position[i], length[i], *bits));
            warp.put(group, *d, mask, &out);
        }
        Op::Carry { kind, bits, reads, writes, d, a, b, c } => {
            let (a, b, c) = (row(*a), row(*b), row(*c));
            let flags = row(Src::register(CARRY));
            let mut carry = [0; 32];
            lanes(mask).for_each(|i| {
                let flag = if *reads { flags[i] } else { u64::from(*kind == CarryKind::Sub) };
                (out[i], carry[i]) = ops::carry(*kind, *bits, a[i], b[i], c[i], flag);
            });
            warp.put(group, *d, mask, &out);
            if *writes {
                warp.put(group, CARRY, mask, &carry);
            }
        }
        Op::Unpack { d, bits, a } => {
            let a = *row(*a);
            let part = |d: Slot, shift: u32, warp: &mut Warp| {
                let out = a.map(|value| value >> shift & (u64::MAX >> (64 - bits)));
                warp.put(group, d, mask, &out);
            };
            (0u32..).zip(d).for_each(|(index, &d)| part(d, index * bits, warp));
        }
        Op::Pack { d, a, bits } => {
            for (index, &a) in (0u32..).zip(a) {
                let a = row(a);
                (0..32).for_each(|lane| out[lane] |= a[lane] << (index * bits));
            }
            warp.put(group, *d, mask, &out);
        }
        _ => {}
    }
}
