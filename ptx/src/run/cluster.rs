//! A cluster: blocks that take turns, since each may wait for the others and touch their shared memory.
//!
//! One thread of the host runs all blocks of a cluster.

use std::time::Instant;

use super::super::Kernel;
use super::super::code::{CLUSTER_SPAN, SHARED_WINDOW, Slot, Src};
use super::super::ops::lanes::lanes;
use super::barrier::{OF_CLUSTER, Stay};
use super::block::{Block, Shared, State};
use super::warp::{Group, Warp};
use super::{Accident, Fault, Launch};

/// The steps that a block makes before the next one's turn.
const TURN: u64 = 1 << 14;
/// A rank that no block has.
const NOBODY: u64 = 32;

/// A cluster, whose blocks serve other clusters of the launch after it.
pub(super) struct Cluster<'a> {
    extents: [u32; 3],
    grid: [u32; 3],
    blocks: Vec<Block<'a>>,
    ended: Vec<bool>,
    /// The steps that were told.
    told: u64,
}

impl<'a> Cluster<'a> {
    pub(super) fn new(launch: &'a Launch<'a>, kernel: &'a Kernel, start: Instant) -> Self {
        let extents = launch.cluster.unwrap_or([1; 3]);
        let count = extents.iter().product::<u32>() as usize;
        let block = || Block::new(launch, kernel, start);
        let blocks = std::iter::repeat_with(block).take(count).collect();
        Self { extents, grid: launch.grid, blocks, ended: vec![false; count], told: 0 }
    }

    /// Puts its blocks at the beginning: the cluster of a number.
    pub(super) fn begin(&mut self, index: u64) -> Result<(), Fault> {
        let extents = self.extents;
        let clusters = |dimension: usize| u64::from(self.grid[dimension] / extents[dimension]);
        let (x, y) = (clusters(0), clusters(1));
        let first = [index % x, index / x % y, index / x / y];
        for (rank, block) in (0..).zip(&mut self.blocks) {
            let within =
                [rank % extents[0], rank / extents[0] % extents[1], rank / extents[0] / extents[1]];
            let ctaid = |at: usize| first[at] as u32 * extents[at] + within[at];
            block.begin(std::array::from_fn(ctaid), rank)?;
        }
        self.ended.fill(false);
        Ok(())
    }

    /// How many steps its blocks made since this was last asked.
    pub(super) fn steps(&mut self) -> u64 {
        let all = self.blocks.iter().map(|block| block.shared.steps).sum::<u64>();
        all - std::mem::replace(&mut self.told, all)
    }

    /// Where one of its blocks faulted.
    pub(super) fn accident(&self) -> Option<Accident> {
        self.blocks.iter().find_map(|block| block.shared.accident)
    }

    /// Runs until about so many steps were made, or to the end.
    pub(super) fn run(&mut self, budget: u64) -> Result<State, Fault> {
        let turn = if self.blocks.len() == 1 { budget } else { TURN };
        let mut made = 0;
        loop {
            let (mut going, mut waiting) = (false, false);
            for rank in 0..self.blocks.len() {
                if self.ended[rank] {
                    continue;
                }
                let (state, steps) = self.turn(rank, turn)?;
                made += steps;
                match state {
                    State::Ended => self.ended[rank] = true,
                    State::Paused => going = true,
                    State::Waiting => waiting = true,
                }
            }
            if !going && !waiting {
                return Ok(State::Ended);
            }
            let released = self.release();
            if !going && !released {
                return Err(Fault::LaunchTimeout);
            }
            if made >= budget {
                return Ok(State::Paused);
            }
        }
    }

    /// A block's turn, with the memory of the others.
    fn turn(&mut self, rank: usize, budget: u64) -> Result<(State, u64), Fault> {
        if self.blocks.len() == 1 {
            return self.blocks[0].run(budget);
        }
        let memories =
            self.blocks.iter_mut().enumerate().map(|(other, block)| match other == rank {
                true => Vec::new(),
                false => std::mem::take(&mut block.shared.memory),
            });
        self.blocks[rank].shared.cluster.memories = memories.collect();
        let result = self.blocks[rank].run(budget);
        let memories = std::mem::take(&mut self.blocks[rank].shared.cluster.memories);
        for (other, memory) in memories.into_iter().enumerate() {
            if other != rank {
                self.blocks[other].shared.memory = memory;
            }
        }
        result
    }

    /// Lets go the threads at the cluster's barrier, if all that are left have arrived.
    fn release(&mut self) -> bool {
        let warps = || self.blocks.iter().flat_map(|block| &block.warps);
        let any = warps().any(|warp| warp.live() & warp.arrived != 0);
        if !any || warps().any(|warp| warp.live() & !warp.arrived != 0) {
            return false;
        }
        for warp in self.blocks.iter_mut().flat_map(|block| &mut block.warps) {
            warp.arrived = 0;
            warp.leave_barrier(OF_CLUSTER.into(), |_| 0);
        }
        true
    }
}

/// `barrier.cluster.wait`: the lanes that have arrived stay, unless all others have arrived since.
pub(super) fn wait(warp: &mut Warp, mask: u32) {
    for lane in lanes(mask & warp.arrived) {
        warp.wait_at(lane, Stay { id: OF_CLUSTER, count: 0, reduce: None });
    }
}

/// Where shared memory begins among the addresses.
const fn base(generic: bool) -> u64 {
    if generic { SHARED_WINDOW } else { 0 }
}

/// `mapa`
pub(super) fn map(
    warp: &mut Warp,
    shared: &Shared<'_>,
    group: Group,
    mask: u32,
    (d, a, rank): (Slot, Src, Src),
    generic: bool,
) {
    let (a, rank) = (warp.row(shared.kernel, group, a), warp.row(shared.kernel, group, rank));
    let out = std::array::from_fn(|lane| {
        let offset = a[lane].wrapping_sub(base(generic)) % CLUSTER_SPAN;
        // A rank that no block has leads to no memory.
        base(generic) + (rank[lane].min(NOBODY) + 1) * CLUSTER_SPAN + offset
    });
    warp.put(group, d, mask, &out);
}

/// `getctarank`
pub(super) fn rank_of(
    warp: &mut Warp,
    shared: &Shared<'_>,
    group: Group,
    mask: u32,
    (d, a): (Slot, Src),
    generic: bool,
) {
    let out = warp.row(shared.kernel, group, a).map(|address| {
        let span = address.wrapping_sub(base(generic)) / CLUSTER_SPAN;
        span.checked_sub(1).unwrap_or(shared.cluster.rank.into())
    });
    warp.put(group, d, mask, &out);
}
