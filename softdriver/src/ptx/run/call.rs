//! Calls and returns.

use super::super::Kernel;
use super::super::code::{CallOp, Op, Place};
use super::Fault;
use super::warp::{Group, LANES, Warp, lanes};

/// The most registers of all frames of a warp, as slots.
const MOST_SLOTS: u32 = 1 << 17;
/// The most local memory of all frames of a thread.
const MOST_LOCAL: u32 = 1 << 20;
/// The most frames of a thread.
const DEEPEST: usize = 1 << 12;

/// What a return goes back to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// The instruction after the call.
    pc: u32,
    base: u32,
    local_base: u32,
}

impl Warp {
    /// Calls a function on some lanes of a group.
    pub(super) fn call(&mut self, call: &CallOp, mask: u32, group: Group) -> Result<(), Fault> {
        let base = group.base + call.caller_slots;
        let end = base.saturating_add(call.slots);
        if end > MOST_SLOTS {
            return Err(Fault::HardwareStackError);
        }
        let registers = end as usize * LANES;
        if self.registers.len() < registers {
            self.registers.resize(registers, 0);
        }
        for lane in lanes(mask) {
            let local_base = self.local_base[lane] + call.caller_local;
            let local_end = local_base.saturating_add(call.local);
            if local_end > MOST_LOCAL || self.frames[lane].len() >= DEEPEST {
                return Err(Fault::HardwareStackError);
            }
            if self.local[lane].len() < local_end as usize {
                self.local[lane].resize(local_end as usize, 0);
            }
            let here = (group.base, self.local_base[lane]);
            for &(from, to) in &call.arguments {
                self.copy(lane, from, here, to, (base, local_base));
            }
            self.frames[lane].push(Frame {
                pc: group.pc + 1,
                base: group.base,
                local_base: self.local_base[lane],
            });
            self.base[lane] = base;
            self.local_base[lane] = local_base;
            self.pc[lane] = call.target;
        }
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
            let call = frame.pc.checked_sub(1).and_then(|at| kernel.code.get(at as usize));
            if let Some(Op::Call(call)) = call.map(|instr| &instr.op) {
                for &(source, to) in &call.results {
                    self.copy(lane, source, from, to, (frame.base, frame.local_base));
                }
            }
            self.pc[lane] = frame.pc;
            self.base[lane] = frame.base;
            self.local_base[lane] = frame.local_base;
        }
    }

    /// Copies between two frames, each told by its bases.
    fn copy(
        &mut self,
        lane: usize,
        from: Place,
        source: (u32, u32),
        to: Place,
        target: (u32, u32),
    ) {
        match (from, to) {
            (Place::Local(from, size), Place::Local(to, room)) => {
                let start = (source.1 + from) as usize;
                let to = (target.1 + to) as usize;
                let size = size.min(room) as usize;
                let local = &mut self.local[lane];
                if start + size <= local.len() && to + size <= local.len() {
                    local.copy_within(start..start + size, to);
                }
            }
            (from, Place::Reg(to)) => {
                let value = match from {
                    Place::Reg(slot) => {
                        let at = (source.0 + slot) as usize * LANES + lane;
                        self.registers.get(at).copied().unwrap_or_default()
                    }
                    Place::Imm(value) => value,
                    Place::Local(..) => return,
                };
                let at = (target.0 + to) as usize * LANES + lane;
                if let Some(register) = self.registers.get_mut(at) {
                    *register = value;
                }
            }
            _ => {}
        }
    }
}
