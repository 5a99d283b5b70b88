//! A block: its warps take turns until all have ended.

use std::time::Instant;

use super::super::Kernel;
use super::barrier::Barriers;
use super::report::{Accident, Accused};
use super::warp::{Progress, Warp};
use super::{Fault, Launch};
use std::cell::Cell;

/// How many steps a warp makes before the next one's turn.
const TURN: u32 = 1 << 14;

/// The block's place among the blocks of its cluster.
#[derive(Default)]
pub(super) struct Neighbours {
    /// Its number.
    pub(super) rank: u32,
    /// The shared memory of the others, by rank, while this one runs.
    pub(super) memories: Vec<Vec<u8>>,
}

impl Neighbours {
    /// The rank of another block that an address is of: the address's number of [`CLUSTER_SPAN`]s. None: the
    /// block itself.
    pub(super) fn peer(&self, span: u64) -> Option<usize> {
        let rank = usize::try_from(span.checked_sub(1)?).unwrap_or(usize::MAX);
        (rank != self.rank as usize).then_some(rank)
    }
}

/// The state that the warps of a block share.
pub(super) struct Shared<'a> {
    pub(super) launch: &'a Launch<'a>,
    pub(super) kernel: &'a Kernel,
    /// Shared memory.
    pub(super) memory: Vec<u8>,
    /// The block's place in the grid.
    pub(super) ctaid: [u32; 3],
    /// The threads of the block.
    pub(super) threads: u32,
    pub(super) warps: u32,
    /// Steps made by all warps, which the clock counts in.
    pub(super) steps: u64,
    /// Accesses since the last step that a loop may wait with.
    pub(super) waits: u32,
    /// The access that the instruction which faults makes.
    pub(super) accused: Cell<Option<Accused>>,
    /// The fault that ended the block.
    pub(super) accident: Option<Accident>,
    pub(super) start: Instant,
    pub(super) barriers: Barriers,
    pub(super) cluster: Neighbours,
}

/// Whether a block has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// All its threads have exited.
    Ended,
    /// Its turn is over.
    Paused,
    /// None of its threads can go on without others.
    Waiting,
}

/// A block, whose memory serves other blocks of the launch after it.
pub(super) struct Block<'a> {
    pub(super) shared: Shared<'a>,
    pub(super) warps: Vec<Warp>,
    /// Whether the warps have done what they do once a launch.
    prepared: bool,
}

impl<'a> Block<'a> {
    pub(super) fn new(launch: &'a Launch<'a>, kernel: &'a Kernel, start: Instant) -> Self {
        let threads = launch.block.iter().fold(1u32, |all, &one| all.saturating_mul(one));
        let warps = threads.div_ceil(32);
        Self {
            shared: Shared {
                launch,
                kernel,
                memory: vec![0; kernel.dynamic_offset + launch.dynamic_shared],
                ctaid: [0; 3],
                threads,
                warps,
                steps: 0,
                waits: 0,
                accused: Cell::default(),
                accident: None,
                start,
                barriers: Barriers::default(),
                cluster: Neighbours::default(),
            },
            warps: (0..warps).map(|index| Warp::new(index, launch.block, kernel)).collect(),
            prepared: false,
        }
    }

    /// Puts the block at the beginning, at a place of the grid and a rank in its cluster.
    pub(super) fn begin(&mut self, ctaid: [u32; 3], rank: u32) -> Result<(), Fault> {
        if !self.prepared {
            self.warps.iter_mut().try_for_each(|warp| warp.prepare(&mut self.shared))?;
            self.prepared = true;
        }
        self.shared.ctaid = ctaid;
        self.shared.cluster.rank = rank;
        self.shared.memory.fill(0);
        self.shared.barriers = Barriers::default();
        for warp in &mut self.warps {
            warp.reset(self.shared.threads, self.shared.kernel);
        }
        Ok(())
    }

    /// Runs until about so many steps were made, or to the end; and how many.
    pub(super) fn run(&mut self, budget: u64) -> Result<(State, u64), Fault> {
        let start = self.shared.steps;
        loop {
            let mut going = false;
            let mut ended = true;
            for warp in &mut self.warps {
                match warp.run(&mut self.shared, TURN)? {
                    Progress::Going => {
                        going = true;
                        ended = false;
                    }
                    Progress::Waiting => ended = false,
                    Progress::Ended => {}
                }
            }
            let made = self.shared.steps - start;
            if ended {
                return Ok((State::Ended, made));
            }
            let released = self.shared.barriers.release(&mut self.warps)?;
            if !going && !released {
                return Ok((State::Waiting, made));
            }
            if made >= budget {
                return Ok((State::Paused, made));
            }
        }
    }
}
