//! What attributes of a launch say.

use crate::args::Source;
use crate::call::name;
use crate::error::{Error, Result};
use crate::memory::Element;
use ffi::{
    CUaccessPolicyWindow, CUaccessProperty, CUclusterSchedulingPolicy, CUlaunchMemSyncDomain,
};

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

/// Which memory a kernel's fences are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum MemorySyncDomain {
    /// That of kernels that only access their own device.
    #[default]
    Default,
    /// That of kernels that access other devices.
    Remote,
}

impl MemorySyncDomain {
    pub(super) fn raw(self) -> CUlaunchMemSyncDomain {
        match self {
            MemorySyncDomain::Default => ffi::CU_LAUNCH_MEM_SYNC_DOMAIN_DEFAULT,
            MemorySyncDomain::Remote => ffi::CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE,
        }
    }
}

/// How the L2 cache treats an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum CachePolicy {
    /// As usual.
    #[default]
    Normal,
    /// As data that are used once.
    Streaming,
    /// As data that are to stay, in the part of the cache that
    /// [`Limit::PersistingL2CacheSize`](crate::Limit::PersistingL2CacheSize) sets aside.
    Persisting,
}

impl CachePolicy {
    fn raw(self) -> CUaccessProperty {
        match self {
            CachePolicy::Normal => ffi::CU_ACCESS_PROPERTY_NORMAL,
            CachePolicy::Streaming => ffi::CU_ACCESS_PROPERTY_STREAMING,
            CachePolicy::Persisting => ffi::CU_ACCESS_PROPERTY_PERSISTING,
        }
    }
}

/// A range of device memory, and how the L2 cache treats a kernel's accesses to it: a hint, which changes no result. It
/// borrows nothing: of a range that was freed nothing is accessed, and the driver takes any (F315).
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct AccessPolicy {
    address: u64,
    bytes: usize,
    hit_ratio: f32,
    hit: CachePolicy,
    miss: CachePolicy,
}

impl AccessPolicy {
    /// The range of a buffer or of a part of it: `&buffer`, a slice, or in a scope `&held`.
    ///
    /// So much of the range's accesses are `hit`, from 0 (none) to 1 (all), the others `miss`, which cannot be
    /// [`Persisting`](CachePolicy::Persisting). A range of more bytes than
    /// `CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE` (128 MiB on an H200) is `CUDA_ERROR_INVALID_VALUE` at the
    /// launch (F315): take a slice.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a ratio or a `miss` that cannot be.
    #[doc(alias = "CUaccessPolicyWindow")]
    pub fn new<'s, 'ctx, T: Element>(
        memory: impl Source<'s, 'ctx, T>,
        hit_ratio: f32,
        hit: CachePolicy,
        miss: CachePolicy,
    ) -> Result<Self> {
        const CALL: &str = name!(cuLaunchKernelEx);
        if !(0.0..=1.0).contains(&hit_ratio) {
            let reason = "the ratio of an access policy is a number from 0 to 1";
            return Err(Error::InvalidArgument { call: CALL, reason });
        }
        if miss == CachePolicy::Persisting {
            let reason = "what an access policy misses cannot persist: make it normal or streaming";
            return Err(Error::InvalidArgument { call: CALL, reason });
        }
        let access = memory.access();
        let (address, bytes) = (access.address, access.bytes());
        Ok(AccessPolicy { address, bytes, hit_ratio, hit, miss })
    }

    pub(super) fn raw(self) -> CUaccessPolicyWindow {
        CUaccessPolicyWindow {
            base_ptr: std::ptr::without_provenance_mut(self.address as usize),
            num_bytes: self.bytes,
            hitRatio: self.hit_ratio,
            hitProp: self.hit.raw(),
            missProp: self.miss.raw(),
        }
    }
}
