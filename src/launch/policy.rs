//! Attributes of launches.

use ffi::CUclusterSchedulingPolicy;

/// How the driver places the blocks of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum ClusterScheduling {
    /// The driver chooses.
    #[default]
    Default,
    /// The blocks spread over multiprocessors.
    Spread,
    /// Each block runs where the load is lowest.
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
