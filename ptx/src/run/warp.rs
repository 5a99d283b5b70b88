//! A warp: 32 lanes with a program counter each.
//!
//! `turn.rs` says which of them run together.

use super::super::Kernel;
use super::super::code::{Address, Base, SINK, Slot, Src, Vote};
use super::super::ops::Row;
use super::super::ops::lanes::lanes;
use super::super::ops::wide::{Pattern, moved};
use super::barrier::Stay;
use super::block::Shared;
use super::registers::Registers;

/// Lanes of a warp.
pub(super) const LANES: usize = 32;

/// How a warp's turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// It could go on.
    Going,
    /// All its threads wait at barriers.
    Waiting,
    /// All its threads have exited.
    Ended,
}

/// The lanes that run together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    pub(super) mask: u32,
    /// The counter, and above it where the function's frame begins among the registers: in one, so that functions take
    /// a group in two registers of the processor.
    place: u64,
}

impl Group {
    pub(super) fn new(mask: u32, pc: u32, base: u32) -> Self {
        Self { mask, place: u64::from(base) << 32 | u64::from(pc) }
    }

    /// The counter.
    #[inline]
    pub(super) fn pc(self) -> u32 {
        self.place as u32
    }

    /// Where the function's frame begins among the registers.
    #[inline]
    pub(super) fn base(self) -> u32 {
        (self.place >> 32) as u32
    }
}

/// How a group goes on.
pub(super) enum Flow {
    /// With the next instruction.
    Next,
    /// With another one.
    Jump(u32),
    /// The lanes' own counters say.
    Part,
}

/// The place that a return goes back to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// The instruction after the call.
    pub(super) pc: u32,
    pub(super) base: u32,
    pub(super) local_base: u32,
    pub(super) local_top: u32,
    /// The function that returns, by its index in the kernel's.
    pub(super) callee: u32,
}

/// A warp's state.
pub(super) struct Warp {
    pub(super) index: u32,
    pub(super) tid: [[u32; 3]; LANES],
    pub(super) pc: [u32; LANES],
    pub(super) base: [u32; LANES],
    pub(super) local_base: [u32; LANES],
    pub(super) live: u32,
    /// Lanes at an operation of the warp, waiting for others.
    pub(super) gathered: u32,
    /// Lanes at a barrier of the block.
    pub(super) at_barrier: u32,
    stay: [Option<Stay>; LANES],
    /// The stay of all of them, if it is one and the same and has no reduction.
    common: Option<Stay>,
    /// Lanes that have arrived at the barrier of the cluster.
    pub(super) arrived: u32,
    /// Where each lane's frame in local memory ends.
    pub(super) local_top: [u32; LANES],
    /// The kernel's constants, by their index, and after them the frames' registers.
    pub(super) registers: Registers,
    pub(super) local: Vec<Vec<u8>>,
    pub(super) frames: Vec<Vec<Frame>>,
    /// Whether the last turn ran out, and how many have.
    pub(super) unfinished: u32,
}

impl Warp {
    pub(super) fn new(index: u32, block: [u32; 3], kernel: &Kernel) -> Self {
        let mut tid = [[0; 3]; LANES];
        for (lane, tid) in (0..).zip(&mut tid) {
            let thread = index.saturating_mul(32).saturating_add(lane);
            let (x, rest) = (thread % block[0], thread / block[0]);
            *tid = [x, rest % block[1], rest / block[1]];
        }
        let first = kernel.constants.rows().len();
        let mut registers = Registers::new(kernel.constants.rows().to_vec());
        registers.resize(first + kernel.slots as usize);
        Self {
            index,
            tid,
            pc: [0; LANES],
            base: [first as u32; LANES],
            local_base: [0; LANES],
            live: 0,
            gathered: 0,
            at_barrier: 0,
            stay: [None; LANES],
            common: None,
            arrived: 0,
            local_top: [kernel.local_bytes as u32; LANES],
            registers,
            local: vec![vec![0; kernel.local_bytes]; LANES],
            frames: vec![Vec::new(); LANES],
            unfinished: 0,
        }
    }

    /// Puts all lanes at the start of the kernel.
    pub(super) fn reset(&mut self, threads: u32, kernel: &Kernel) {
        let left = threads - self.index * 32;
        self.live = if left >= 32 { u32::MAX } else { (1 << left) - 1 };
        self.pc = [0; LANES];
        self.gathered = 0;
        (self.at_barrier, self.common) = (0, None);
        self.arrived = 0;
        self.unfinished = 0;
        let first = kernel.constants.rows().len();
        if let Some(zeroed) = &kernel.zeroed {
            zeroed.iter().for_each(|&slot| self.registers[first + slot as usize] = [0; LANES]);
            return;
        }
        self.base = [first as u32; LANES];
        self.local_base = [0; LANES];
        self.local_top = [kernel.local_bytes as u32; LANES];
        self.registers.resize(first + kernel.slots as usize);
        self.registers.clear_from(first);
        self.frames.iter_mut().for_each(Vec::clear);
    }

    /// The lanes that have not exited.
    pub(super) fn live(&self) -> u32 {
        self.live
    }

    /// Ends lanes.
    pub(super) fn exit(&mut self, mask: u32) {
        self.live &= !mask;
    }

    /// Sets the counters of lanes.
    pub(super) fn place(&mut self, mask: u32, pc: u32) {
        if mask == u32::MAX {
            self.pc = [pc; LANES];
            return;
        }
        for lane in lanes(mask) {
            self.pc[lane] = pc;
        }
    }

    /// The index of an operand of a group among the [registers](Self::registers).
    #[inline]
    pub(super) fn at(group: Group, src: Src) -> usize {
        match src.split() {
            Ok(slot) => (group.base() + slot) as usize,
            Err(index) => index as usize,
        }
    }

    /// An operand of a group, for all lanes.
    #[inline]
    pub(super) fn row<'r>(&'r self, kernel: &'r Kernel, group: Group, src: Src) -> &'r Row {
        match src.split() {
            Ok(slot) => &self.registers[(group.base() + slot) as usize],
            Err(index) => kernel.constants.row(index),
        }
    }

    /// Sets a register of some lanes of a group.
    #[inline]
    pub(super) fn put(&mut self, group: Group, slot: Slot, mask: u32, values: &Row) {
        let row = &mut self.registers[(group.base() + slot) as usize];
        if mask == u32::MAX {
            *row = *values;
        } else {
            lanes(mask).for_each(|lane| row[lane] = values[lane]);
        }
    }

    /// Sets a register of some lanes of a group to what `f` computes for all lanes in a register, by its index. What
    /// lanes hold that have exited does not matter.
    #[inline]
    pub(super) fn compute(
        &mut self,
        group: Group,
        slot: Slot,
        mask: u32,
        f: impl FnOnce(&mut [Row], usize),
    ) {
        let to = (group.base() + slot) as usize;
        if mask == self.live {
            return f(self.registers.with_written(to), to);
        }
        let sink = (group.base() + SINK) as usize;
        f(self.registers.with_written(sink), sink);
        for lane in lanes(mask) {
            self.registers[to][lane] = self.registers[sink][lane];
        }
    }

    /// Sets a register of some lanes of a group to one value.
    #[inline]
    pub(super) fn fill(&mut self, group: Group, slot: Slot, mask: u32, value: u64) {
        let row = &mut self.registers[(group.base() + slot) as usize];
        if mask == u32::MAX {
            row.fill(value);
        } else {
            lanes(mask).for_each(|lane| row[lane] = value);
        }
    }

    /// The addresses that an address is for the lanes of a group.
    pub(super) fn addresses(
        &self,
        shared: &Shared<'_>,
        group: Group,
        address: Address,
        at: &mut Row,
    ) {
        self.words_at(shared, group, address, 1, at);
    }

    /// The same. Gives the bits that some have set, and how words of a size lie there.
    #[inline]
    pub(super) fn words_at(
        &self,
        shared: &Shared<'_>,
        group: Group,
        address: Address,
        size: u64,
        at: &mut Row,
    ) -> (u64, Pattern) {
        let offset = address.offset.cast_unsigned();
        let same = match address.base {
            Base::Zero => offset,
            Base::Reg(slot) => {
                return moved(&self.registers[(group.base() + slot) as usize], offset, size, at);
            }
            Base::Global(index) => {
                let base = shared.launch.globals.get(index as usize).copied().unwrap_or_default();
                base.wrapping_add(offset)
            }
            Base::Frame => return moved(&self.local_base.map(u64::from), offset, size, at),
        };
        *at = [same; LANES];
        (same, Pattern::Same)
    }

    /// An operand of a lane.
    #[inline]
    pub(super) fn value(&self, kernel: &Kernel, lane: usize, src: Src) -> u64 {
        match src.split() {
            Ok(slot) => self.registers[(self.base[lane] + slot) as usize][lane],
            Err(index) => kernel.constants.row(index)[lane],
        }
    }

    /// Sets a register of a lane.
    #[inline]
    pub(super) fn set(&mut self, lane: usize, slot: Slot, value: u64) {
        self.registers[(self.base[lane] + slot) as usize][lane] = value;
    }

    /// Holds a lane at a barrier; it goes on after it.
    pub(super) fn wait_at(&mut self, lane: usize, stay: Stay) {
        self.at_barrier |= 1 << lane;
        self.stay[lane] = Some(stay);
        self.common = None;
    }

    /// Holds all lanes that have not exited at a barrier without a reduction. They go on after it.
    pub(super) fn wait_together(&mut self, stay: Stay) {
        self.at_barrier = self.live;
        self.common = Some(stay);
    }

    /// The stays of the lanes at barriers, with their numbers.
    pub(super) fn stays(&self) -> impl Iterator<Item = (Stay, u32)> {
        let common = self.common.map(|stay| (stay, self.at_barrier.count_ones()));
        let each = if common.is_some() { 0 } else { self.at_barrier };
        common.into_iter().chain(lanes(each).filter_map(|lane| Some((self.stay[lane]?, 1))))
    }

    /// Lets go the lanes at a barrier, each with the result of its reduction.
    pub(super) fn leave_barrier(&mut self, id: usize, result: impl Fn(Vote) -> u64) {
        if let Some(stay) = self.common {
            if usize::from(stay.id) == id {
                (self.at_barrier, self.common) = (0, None);
            }
            return;
        }
        for lane in lanes(self.at_barrier) {
            let Some(stay) = self.stay[lane].filter(|stay| usize::from(stay.id) == id) else {
                continue;
            };
            if let Some((vote, d, _)) = stay.reduce {
                self.set(lane, d, result(vote));
            }
            self.stay[lane] = None;
            self.at_barrier &= !(1 << lane);
        }
    }
}
