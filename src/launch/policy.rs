//! What attributes of a launch say.

use ffi::CUclusterSchedulingPolicy;

/// How the blocks of a cluster are placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum ClusterScheduling {
    /// The driver chooses.
    #[default]
    Default,
    /// On multiprocessors apart.
    Spread,
    /// Where the load is least.
    LoadBalancing,
}

impl ClusterScheduling {
    pub(super) fn raw(self) -> CUclusterSchedulingPolicy {
        match self {
            ClusterScheduling::Default => ffi::CU_CLUSTER_SCHEDULING_POLICY_DEFAULT,
            ClusterScheduling::Spread => ffi::CU_CLUSTER_SCHEDULING_POLICY_SPREAD,
            ClusterScheduling::LoadBalancing => ffi::CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING,
        }
    }
}
