//! Attributes of launches.

use ffi::{CUclusterSchedulingPolicy, CUlaunchAttributePortableClusterMode, CUsharedMemoryMode};

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
    #[inline]
    pub(super) fn raw(self) -> CUclusterSchedulingPolicy {
        match self {
            ClusterScheduling::Default => ffi::CU_CLUSTER_SCHEDULING_POLICY_DEFAULT,
            ClusterScheduling::Spread => ffi::CU_CLUSTER_SCHEDULING_POLICY_SPREAD,
            ClusterScheduling::LoadBalancing => ffi::CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING,
        }
    }
}

/// Whether the clusters of a launch may be larger than every device can run them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
#[doc(alias = "CUlaunchAttributePortableClusterMode")]
pub enum ClusterPortability {
    /// As the function's attribute says.
    #[default]
    Default,
    /// They may not: larger clusters are refused.
    Portable,
    /// They may.
    NonPortable,
}

impl ClusterPortability {
    #[inline]
    pub(super) fn raw(self) -> CUlaunchAttributePortableClusterMode {
        match self {
            ClusterPortability::Default => ffi::CU_LAUNCH_PORTABLE_CLUSTER_MODE_DEFAULT,
            ClusterPortability::Portable => ffi::CU_LAUNCH_PORTABLE_CLUSTER_MODE_REQUIRE_PORTABLE,
            ClusterPortability::NonPortable => {
                ffi::CU_LAUNCH_PORTABLE_CLUSTER_MODE_ALLOW_NON_PORTABLE
            }
        }
    }
}

/// How much dynamic shared memory a launch may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
#[doc(alias = "CUsharedMemoryMode")]
pub enum SharedMemoryMode {
    /// As the function's attribute says.
    #[default]
    Default,
    /// As much as every launch on every device may use.
    Portable,
    /// As much as the device lets a launch that opts in have.
    NonPortable,
    /// More than that, at the cost of the L1 cache.
    Oversized,
    /// More than that if the device has it, at the cost of the L1 cache.
    PreferOversized,
}

impl SharedMemoryMode {
    #[inline]
    pub(super) fn raw(self) -> CUsharedMemoryMode {
        match self {
            SharedMemoryMode::Default => ffi::CU_SHARED_MEMORY_MODE_DEFAULT,
            SharedMemoryMode::Portable => ffi::CU_SHARED_MEMORY_MODE_REQUIRE_PORTABLE,
            SharedMemoryMode::NonPortable => ffi::CU_SHARED_MEMORY_MODE_ALLOW_NON_PORTABLE,
            SharedMemoryMode::Oversized => ffi::CU_SHARED_MEMORY_MODE_ALLOW_OVERSIZED_SHARED_MEMORY,
            SharedMemoryMode::PreferOversized => {
                ffi::CU_SHARED_MEMORY_MODE_PREFER_OVERSIZED_SHARED_MEMORY
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_policy_has_the_number_of_the_driver() {
        use {
            ClusterPortability as Clusters, ClusterScheduling as Order, SharedMemoryMode as Mode,
        };
        let orders = [Order::Default, Order::Spread, Order::LoadBalancing];
        assert_eq!(orders.map(|order| order.raw().0), [0, 1, 2]);
        let clusters = [Clusters::Default, Clusters::Portable, Clusters::NonPortable];
        assert_eq!(clusters.map(|clusters| clusters.raw().0), [0, 1, 2]);
        let modes = [
            Mode::Default,
            Mode::Portable,
            Mode::NonPortable,
            Mode::Oversized,
            Mode::PreferOversized,
        ];
        assert_eq!(modes.map(|mode| mode.raw().0), [0, 1, 2, 3, 4]);
    }
}
