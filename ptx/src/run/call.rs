//! Calls and returns.

use super::super::Kernel;
use super::super::code::{CallOp, Callable, Callee, Op, Place, function_at};
use super::super::ops::lanes::lanes;
use super::block::Shared;
use super::warp::{Frame, Group, Warp};
use super::{Fault, system};

/// The most registers of all frames of a warp, as slots.
const MOST_SLOTS: u32 = 1 << 17;
/// The most local memory of all frames of a thread.
pub(super) const MOST_LOCAL: u32 = 1 << 20;
/// The most frames of a thread.
const DEEPEST: usize = 1 << 12;

/// Where a frame's registers and its local memory begin.
type Bases = (u32, u32);

impl Warp {
    /// Calls a function on some lanes of a group, whose counters are set.
    pub(super) fn call(
        &mut self,
        shared: &mut Shared<'_>,
        call: &CallOp,
        mask: u32,
        group: Group,
    ) -> Result<(), Fault> {
        let kernel = shared.kernel;
        match call.callee {
            Callee::System(which) => system::call(self, shared, which, call, mask),
            Callee::Function(index) => {
                lanes(mask).try_for_each(|lane| self.enter(kernel, call, index, lane, group))
            }
            Callee::Address(src) => lanes(mask).try_for_each(|lane| {
                let wanted = function_at(self.value(kernel, lane, src));
                let same = |one: &Callable| Some(one.index) == wanted;
                let index = kernel.functions.iter().position(same).ok_or(Fault::InvalidPc)?;
                let callee = &kernel.functions[index];
                if callee.params.len() != call.arguments.len() {
                    return Err(Fault::InvalidPc);
                }
                self.enter(kernel, call, index as u32, lane, group)
            }),
        }
    }

    fn enter(
        &mut self,
        kernel: &Kernel,
        call: &CallOp,
        index: u32,
        lane: usize,
        group: Group,
    ) -> Result<(), Fault> {
        let callee = &kernel.functions[index as usize];
        let base = group.base() + call.caller_slots;
        let end = base.saturating_add(callee.slots);
        let local_base = self.local_top[lane].next_multiple_of(16);
        let local_end = local_base.saturating_add(callee.local);
        let deep = self.frames[lane].len() >= DEEPEST;
        if end > MOST_SLOTS + kernel.constants.rows().len() as u32 || local_end > MOST_LOCAL || deep
        {
            return Err(Fault::IllegalAddress);
        }
        if self.registers.len() < end as usize {
            self.registers.resize(end as usize);
        }
        if self.local[lane].len() < local_end as usize {
            self.local[lane].resize(local_end as usize, 0);
        }
        let here = (group.base(), self.local_base[lane]);
        for (&from, &to) in call.arguments.iter().zip(&callee.params) {
            self.copy(kernel, lane, (from, here), (to, (base, local_base)));
        }
        self.frames[lane].push(Frame {
            pc: group.pc() + 1,
            base: group.base(),
            local_base: self.local_base[lane],
            local_top: self.local_top[lane],
            callee: index,
        });
        self.base[lane] = base;
        self.local_base[lane] = local_base;
        self.local_top[lane] = local_end;
        self.pc[lane] = callee.start;
        Ok(())
    }

    /// Returns from a function, or from the kernel.
    pub(super) fn ret(&mut self, kernel: &Kernel, mask: u32) {
        for lane in lanes(mask) {
            let Some(frame) = self.frames[lane].pop() else {
                self.exit(1 << lane);
                continue;
            };
            let from = (self.base[lane], self.local_base[lane]);
            let to = (frame.base, frame.local_base);
            let call = frame.pc.checked_sub(1).and_then(|at| kernel.code.get(at as usize));
            if let Some(Op::Call(call)) = call.map(|instr| &instr.op) {
                let returns = &kernel.functions[frame.callee as usize].returns;
                for (&source, &target) in returns.iter().zip(&call.results) {
                    self.copy(kernel, lane, (source, from), (target, to));
                }
            }
            self.pc[lane] = frame.pc;
            self.base[lane] = frame.base;
            self.local_base[lane] = frame.local_base;
            self.local_top[lane] = frame.local_top;
        }
    }

    /// Copies between two frames, each told by its bases.
    fn copy(
        &mut self,
        kernel: &Kernel,
        lane: usize,
        (from, source): (Place, Bases),
        (to, target): (Place, Bases),
    ) {
        let mut word = [0; 8];
        match (from, to) {
            (Place::Local(from, size), Place::Local(to, room)) => {
                let (start, to) = ((source.1 + from) as usize, (target.1 + to) as usize);
                let size = size.min(room) as usize;
                let local = &mut self.local[lane];
                if start + size <= local.len() && to + size <= local.len() {
                    local.copy_within(start..start + size, to);
                }
            }
            (Place::Value(from), Place::Value(to)) => {
                let value = match from.split() {
                    Ok(slot) => self.registers[(source.0 + slot) as usize][lane],
                    Err(index) => kernel.constants.row(index)[lane],
                };
                if let Ok(slot) = to.split() {
                    self.registers[(target.0 + slot) as usize][lane] = value;
                }
            }
            (Place::Value(from), Place::Local(to, room)) => {
                let value = match from.split() {
                    Ok(slot) => self.registers[(source.0 + slot) as usize][lane],
                    Err(index) => kernel.constants.row(index)[lane],
                };
                let room = room.min(8) as usize;
                let to = (target.1 + to) as usize;
                if let Some(place) = self.local[lane].get_mut(to..to + room) {
                    place.copy_from_slice(&value.to_le_bytes()[..room]);
                }
            }
            (Place::Local(from, size), Place::Value(to)) => {
                let size = size.min(8) as usize;
                let from = (source.1 + from) as usize;
                if let Some(bytes) = self.local[lane].get(from..from + size) {
                    word[..size].copy_from_slice(bytes);
                }
                if let Ok(slot) = to.split() {
                    self.registers[(target.0 + slot) as usize][lane] = u64::from_le_bytes(word);
                }
            }
        }
    }
}
