//! The shape of a launch, as its kernel sees it.

use super::{Dim3, LaunchConfig};
use std::fmt;

/// The shape of a launch, as the check of a [`TrustedKernel`](crate::TrustedKernel) sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LaunchShape {
    /// The number of blocks in the grid.
    pub grid: Dim3,
    /// The number of threads in a block.
    pub block: Dim3,
    /// The dynamic shared memory of a block, in bytes.
    pub shared_bytes: u32,
    /// The blocks of a [cluster](crate::launch::ExtendedLaunch::cluster), if the launch sets it.
    pub cluster: Option<Dim3>,
    /// The blocks of a [preferred cluster](crate::launch::ExtendedLaunch::preferred_cluster), if the launch sets it.
    pub preferred_cluster: Option<Dim3>,
    /// Whether the launch is [cooperative](crate::launch::ExtendedLaunch::cooperative).
    pub cooperative: bool,
}

impl LaunchShape {
    /// Returns the number of threads in all blocks. At most `u64::MAX`.
    #[must_use]
    pub fn threads(&self) -> u64 {
        let of = |Dim3 { x, y, z }: Dim3| {
            u64::from(x).saturating_mul(u64::from(y)).saturating_mul(u64::from(z))
        };
        of(self.grid).saturating_mul(of(self.block))
    }
}

impl LaunchShape {
    /// Returns whether there is more to it than a [`LaunchConfig`].
    pub(crate) fn has_attributes(&self) -> bool {
        self.cluster.is_some() || self.preferred_cluster.is_some() || self.cooperative
    }
}

impl From<LaunchConfig> for LaunchShape {
    #[inline]
    fn from(LaunchConfig { grid, block, shared_bytes }: LaunchConfig) -> Self {
        let (cluster, preferred_cluster, cooperative) = (None, None, false);
        LaunchShape { grid, block, shared_bytes, cluster, preferred_cluster, cooperative }
    }
}

/// Writes the shape as `4 x 1 x 1 blocks of 256 x 1 x 1 threads`, with what else the launch has.
impl fmt::Display for LaunchShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |Dim3 { x, y, z }: Dim3| format!("{x} x {y} x {z}");
        write!(f, "{} blocks of {} threads", of(self.grid), of(self.block))?;
        if self.shared_bytes != 0 {
            write!(f, ", {} bytes of dynamic shared memory", self.shared_bytes)?;
        }
        if let Some(cluster) = self.cluster {
            write!(f, ", in clusters of {} blocks", of(cluster))?;
        }
        if self.cooperative {
            write!(f, ", cooperative")?;
        }
        Ok(())
    }
}
