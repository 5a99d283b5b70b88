//! Operations of a whole warp: `shfl`, `vote`, `match`, `redux` and
//! `bar.warp.sync`.

use super::super::Kernel;
use super::super::code::{Collective, Op, Redux, Shuffle, Vote, WarpOp};
use super::super::ops::lanes::lanes;
use super::Fault;
use super::warp::{LANES, Warp};

/// The operation at a lane's counter.
fn operation(kernel: &Kernel, pc: u32) -> Option<&WarpOp> {
    match kernel.code.get(pc as usize).map(|instr| &instr.op) {
        Some(Op::Warp(op)) => Some(op),
        _ => None,
    }
}

/// The values that the lanes bring.
struct Brought {
    mask: u32,
    a: [u64; LANES],
}

impl Warp {
    /// Runs each operation for which all members that are left have arrived;
    /// whether there was one.
    pub(super) fn gather(&mut self, kernel: &Kernel) -> Result<bool, Fault> {
        let mut any = false;
        let mut left = self.gathered;
        while left != 0 {
            let lane = left.trailing_zeros() as usize;
            left &= left - 1;
            let Some(op) = operation(kernel, self.pc[lane]) else {
                return Err(Fault::IllegalInstruction);
            };
            let members = self.members(kernel, lane);
            let wanted = members & self.live();
            let same = |other: usize| {
                operation(kernel, self.pc[other]).is_some_and(|theirs| theirs.kind == op.kind)
                    && self.members(kernel, other) == members
            };
            if wanted & !self.gathered == 0 && lanes(wanted).all(same) {
                self.gathered &= !wanted;
                left &= !wanted;
                self.collect_at(kernel, wanted);
                lanes(wanted).for_each(|lane| self.pc[lane] += 1);
                any = true;
            }
        }
        Ok(any)
    }

    /// The members of the operation at a lane's counter, the lane being one.
    fn members(&self, kernel: &Kernel, lane: usize) -> u32 {
        let members = operation(kernel, self.pc[lane]).and_then(|op| op.members);
        members.map_or(0, |members| self.value(kernel, lane, members) as u32) | 1 << lane
    }

    /// Runs the operation of lanes that are at one instruction, which waits
    /// for no others.
    pub(super) fn collect(&mut self, kernel: &Kernel, mask: u32, pc: u32) {
        self.place(mask, pc);
        self.collect_at(kernel, mask);
    }

    fn collect_at(&mut self, kernel: &Kernel, mask: u32) {
        let mut brought = Brought { mask, a: [0; LANES] };
        for lane in lanes(mask) {
            if let Some(op) = operation(kernel, self.pc[lane]) {
                brought.a[lane] = self.value(kernel, lane, op.a);
            }
        }
        for lane in lanes(mask) {
            let Some(op) = operation(kernel, self.pc[lane]) else {
                continue;
            };
            let (b, c) = (self.value(kernel, lane, op.b), self.value(kernel, lane, op.c));
            let (d, p) = brought.result(op.kind, lane, b, c);
            self.set(lane, op.p, p);
            self.set(lane, op.d, d);
        }
    }
}

impl Brought {
    /// A lane's result and predicate.
    fn result(&self, kind: Collective, lane: usize, b: u64, c: u64) -> (u64, u64) {
        match kind {
            Collective::Shuffle(mode) => self.shuffle(mode, lane, b as u32, c as u32),
            Collective::Vote(vote) => (self.vote(vote), 0),
            Collective::MatchAny => (u64::from(self.equal(lane)), 0),
            Collective::MatchAll if self.equal(lane) == self.mask => (u64::from(self.mask), 1),
            Collective::MatchAll | Collective::Barrier => (0, 0),
            Collective::Elect => {
                let leader = self.mask.trailing_zeros();
                (leader.into(), u64::from(lane == leader as usize))
            }
            Collective::Redux(redux) => (self.redux(redux), 0),
        }
    }

    fn shuffle(&self, mode: Shuffle, lane: usize, b: u32, c: u32) -> (u64, u64) {
        let own = lane as u32;
        let (distance, clamp, segment) = (b & 31, c & 31, c >> 8 & 31);
        let most = own & segment | clamp & !segment;
        let least = own & segment;
        let (from, within) = match mode {
            Shuffle::Up => {
                let from = own.wrapping_sub(distance);
                (from, from.cast_signed() >= most.cast_signed())
            }
            Shuffle::Down => (own + distance, own + distance <= most),
            Shuffle::Bfly => (own ^ distance, own ^ distance <= most),
            Shuffle::Idx => {
                let from = least | distance & !segment;
                (from, from <= most)
            }
        };
        // A lane that takes no part has nothing to give.
        let given = within && from < 32 && self.mask >> from & 1 == 1;
        let from = if given { from as usize } else { lane };
        (self.a[from], u64::from(within))
    }

    fn vote(&self, vote: Vote) -> u64 {
        let mut ballot = 0u32;
        for lane in lanes(self.mask) {
            ballot |= u32::from(self.a[lane] != 0) << lane;
        }
        match vote {
            Vote::All => u64::from(ballot == self.mask),
            Vote::Any => u64::from(ballot != 0),
            Vote::Uni => u64::from(ballot == 0 || ballot == self.mask),
            Vote::Ballot => u64::from(ballot),
            Vote::Popc => u64::from(ballot.count_ones()),
        }
    }

    /// The lanes whose value is this one's.
    fn equal(&self, lane: usize) -> u32 {
        let same = |&other: &usize| self.a[other] == self.a[lane];
        lanes(self.mask).filter(same).fold(0, |all, other| all | 1 << other)
    }

    fn redux(&self, redux: Redux) -> u64 {
        let values = lanes(self.mask).map(|lane| self.a[lane] as u32);
        let signed = |a: u32| a.cast_signed();
        let result = match redux {
            Redux::Add => values.reduce(u32::wrapping_add),
            Redux::MinU => values.min(),
            Redux::MaxU => values.max(),
            Redux::MinS => values.min_by_key(|&a| signed(a)),
            Redux::MaxS => values.max_by_key(|&a| signed(a)),
            Redux::And => values.reduce(|a, b| a & b),
            Redux::Or => values.reduce(|a, b| a | b),
            Redux::Xor => values.reduce(|a, b| a ^ b),
        };
        u64::from(result.unwrap_or_default())
    }
}
