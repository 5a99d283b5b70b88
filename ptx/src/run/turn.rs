//! The turn of a warp: which of its lanes run, and for how long.
//!
//! The lanes that are deepest in calls, and of those the ones at the least program counter, run together; so lanes that parted
//! at a branch meet again after it. Now and then the others get a turn instead, lest a lane that waits for another one of its
//! warp keep that from running.

use super::super::ops::lanes::lanes;
use super::super::ops::wide::alike;
use super::block::Shared;
use super::warp::{Flow, Group, Progress, Warp};
use super::{Fault, report, step};

/// The cost of an access that a loop may wait with, in steps.
const WAIT: u32 = 255;

impl Warp {
    /// Does the work of a warp once a launch, for all lanes: the threads of the last warp too that are none.
    pub(super) fn prepare(&mut self, shared: &mut Shared<'_>) -> Result<(), Fault> {
        let kernel = shared.kernel;
        self.live = u32::MAX;
        for instr in &kernel.once {
            step::step(self, shared, Group::new(u32::MAX, 0, self.base[0]), instr)?;
        }
        Ok(())
    }

    /// Runs until the budget of steps is spent or no lane can go on.
    pub(super) fn run(&mut self, shared: &mut Shared<'_>, budget: u32) -> Result<Progress, Fault> {
        let mut left = budget;
        // Every other turn after one that ran out is for the lanes behind.
        let unfair = self.unfinished % 2 == 1;
        while left > 0 {
            let Some((group, limit)) = self.select(unfair) else {
                if self.gather(shared.kernel)? {
                    continue;
                }
                self.unfinished = 0;
                // Those that are left wait at a barrier, or at an operation of
                // the warp for lanes that do, or for one another in vain.
                return Ok(if self.live == 0 { Progress::Ended } else { Progress::Waiting });
            };
            self.run_group(shared, group, limit, &mut left)?;
        }
        self.unfinished = self.unfinished.wrapping_add(1);
        Ok(Progress::Going)
    }

    /// The lanes to run, and the counter at which others wait to join them.
    fn select(&self, unfair: bool) -> Option<(Group, u32)> {
        let ready = self.live & !self.gathered & !self.at_barrier;
        if ready == 0 {
            return None;
        }
        if ready == u32::MAX && alike(&self.pc) && alike(&self.base) {
            return Some((Group::new(ready, self.pc[0], self.base[0]), u32::MAX));
        }
        let (base, pc) = if unfair {
            let lane = (self.unfinished / 2) % 32;
            let lane = (ready.rotate_right(lane).trailing_zeros() + lane) % 32;
            (self.base[lane as usize], self.pc[lane as usize])
        } else {
            let base = lanes(ready).map(|lane| self.base[lane]).max()?;
            let pcs = lanes(ready).filter(|&lane| self.base[lane] == base);
            (base, pcs.map(|lane| self.pc[lane]).min()?)
        };
        let (mut mask, mut limit) = (0, u32::MAX);
        for lane in lanes(ready) {
            if self.base[lane] != base {
                continue;
            }
            match self.pc[lane] {
                own if own == pc => mask |= 1 << lane,
                own if own > pc => limit = limit.min(own),
                _ => {}
            }
        }
        Some((Group::new(mask, pc, base), limit))
    }

    /// Runs a group until it parts, meets the lanes at the limit, or has no time left.
    fn run_group(
        &mut self,
        shared: &mut Shared<'_>,
        mut group: Group,
        limit: u32,
        left: &mut u32,
    ) -> Result<(), Fault> {
        loop {
            let Some(instr) = shared.kernel.code.get(group.pc() as usize) else {
                return Err(Fault::InvalidPc);
            };
            let flow = match step::step(self, shared, group, instr) {
                Ok(flow) => flow,
                Err(fault) => {
                    shared.steps += 1;
                    if shared.accident.is_none() {
                        shared.accident = Some(report::accident(self, shared, group, fault));
                    }
                    return Err(fault);
                }
            };
            // An instruction that may be a turn of a loop that waits takes more of the time.
            let cost = 1 + std::mem::take(&mut shared.waits).min(1) * WAIT;
            shared.steps += u64::from(cost);
            *left = left.saturating_sub(cost);
            match flow {
                Flow::Next => group = Group::new(group.mask, group.pc() + 1, group.base()),
                Flow::Jump(target) => group = Group::new(group.mask, target, group.base()),
                Flow::Part => return Ok(()),
            }
            if group.pc() >= limit || *left == 0 {
                self.place(group.mask, group.pc());
                return Ok(());
            }
        }
    }
}
