//! Special registers.

use std::sync::OnceLock;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use super::super::code::Special;
use super::block::Shared;

/// The multiprocessors that the device has, as kernels see it.
const MULTIPROCESSORS: u32 = 1;

/// The values of special registers, but for those that differ between lanes.
pub(super) struct Values<'b, 'a> {
    shared: &'b Shared<'a>,
    warp: u32,
}

/// Nanoseconds since 1970, never going back.
fn global_timer() -> u64 {
    static ORIGIN: OnceLock<(u64, Instant)> = OnceLock::new();
    let (origin, start) = ORIGIN.get_or_init(|| {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        (since.as_nanos() as u64, Instant::now())
    });
    origin.wrapping_add(start.elapsed().as_nanos() as u64)
}

impl<'b, 'a> Values<'b, 'a> {
    pub(super) fn new(shared: &'b Shared<'a>, warp: u32) -> Self {
        Self { shared, warp }
    }

    /// The value for a lane.
    pub(super) fn of(&self, which: Special, lane: u32, tid: [u32; 3]) -> u64 {
        let launch = self.shared.launch;
        let one = 1u32 << lane;
        let dynamic = launch.dynamic_shared;
        let cluster = launch.cluster.unwrap_or([1; 3]);
        let word = match which {
            Special::Tid(dimension) => tid[dimension],
            Special::Ntid(dimension) => launch.block[dimension],
            Special::Ctaid(dimension) => self.shared.ctaid[dimension],
            Special::Nctaid(dimension) => launch.grid[dimension],
            Special::LaneId => lane,
            Special::WarpId => self.warp,
            Special::Nwarpid => self.shared.warps,
            Special::Workspace(shift) => (launch.workspace >> shift) as u32,
            Special::SmId | Special::Zero | Special::GridId => 0,
            Special::ClusterId(dimension) => self.shared.ctaid[dimension] / cluster[dimension],
            Special::Nclusterid(dimension) => launch.grid[dimension] / cluster[dimension],
            Special::ClusterCtaid(dimension) => self.shared.ctaid[dimension] % cluster[dimension],
            Special::ClusterNctaid(dimension) => cluster[dimension],
            Special::ClusterCtarank => self.shared.cluster.rank,
            Special::ClusterNctarank => cluster.iter().product(),
            Special::ExplicitCluster => u32::from(launch.cluster.is_some()),
            Special::Nsmid => MULTIPROCESSORS,
            Special::MaskEq => one,
            Special::MaskLt => one - 1,
            Special::MaskLe => one | (one - 1),
            Special::MaskGt => !(one | (one - 1)),
            Special::MaskGe => !(one - 1),
            Special::DynamicShared => dynamic as u32,
            Special::TotalShared => (self.shared.kernel.dynamic_offset + dynamic) as u32,
            Special::Clock(shift, mask) => return self.clock() >> shift & mask,
            Special::GlobalTimer(shift, mask) => return global_timer() >> shift & mask,
        };
        u64::from(word)
    }

    /// Cycles: nanoseconds of the launch, and at least one for each step.
    fn clock(&self) -> u64 {
        let elapsed = self.shared.start.elapsed().as_nanos() as u64;
        elapsed.wrapping_add(self.shared.steps)
    }
}
