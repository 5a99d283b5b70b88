//! A block: its warps take turns until all have ended.

use std::time::Instant;

use super::super::Kernel;
use super::barrier::Barriers;
use super::warp::{Progress, Warp};
use super::{Fault, Launch};

/// How many steps a warp makes before the next one's turn.
const TURN: u32 = 1 << 14;

/// What the warps of a block share.
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
    pub(super) start: Instant,
    pub(super) barriers: Barriers,
}

/// A block, whose memory serves all blocks of a launch in turn.
pub(super) struct Block<'a> {
    shared: Shared<'a>,
    warps: Vec<Warp>,
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
                start,
                barriers: Barriers::default(),
            },
            warps: (0..warps).map(|index| Warp::new(index, launch.block, kernel)).collect(),
        }
    }

    /// Runs the block at a place of the grid.
    pub(super) fn run(&mut self, ctaid: [u32; 3]) -> Result<(), Fault> {
        self.shared.ctaid = ctaid;
        self.shared.memory.fill(0);
        self.shared.barriers = Barriers::default();
        for warp in &mut self.warps {
            warp.reset(self.shared.threads, self.shared.kernel);
        }
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
            if ended {
                return Ok(());
            }
            let released = self.shared.barriers.release(&mut self.warps)?;
            if !going && !released {
                return Err(Fault::LaunchTimeout);
            }
        }
    }
}
