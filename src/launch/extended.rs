//! Launches with attributes.

use super::raw::Prepared;
use super::spec::sealed::Spec;
use super::{AccessPolicy, ClusterScheduling, Dim3, LaunchConfig, MemorySyncDomain};
use crate::call::name;
use crate::error::Result;
use crate::event::Event;
use crate::function::Carveout;
use ffi::{
    CUlaunchAttribute, CUlaunchAttributeID, CUlaunchAttributeValue,
    CUlaunchAttributeValue_clusterDim, CUlaunchAttributeValue_launchCompletionEvent,
    CUlaunchAttributeValue_preferredClusterDim, CUlaunchAttributeValue_programmaticEvent,
    CUlaunchConfig, CUlaunchMemSyncDomainMap, CUstream,
};
use std::ffi::c_char;
use std::{fmt, ptr};

/// The most attributes that a launch has: one of each kind.
const MOST: usize = 13;

/// A launch with attributes: made of a [`LaunchConfig`] by [`extended`](LaunchConfig::extended), and taken by
/// everything that launches. One driver call, like a launch without (F319).
///
/// What an attribute asks of the kernel belongs to obligation 3 of
/// [`OnStream::launch`](crate::OnStream::launch): what it needs of the launch.
///
/// ```
/// # use cuscope::LaunchConfig;
/// let launch = LaunchConfig::new(264, 256).extended().cooperative().priority(-1);
/// ```
#[derive(Clone, Copy)]
#[must_use]
pub struct ExtendedLaunch<'e, 'ctx> {
    config: LaunchConfig,
    cooperative: bool,
    cluster: Option<Dim3>,
    preferred_cluster: Option<Dim3>,
    scheduling: Option<ClusterScheduling>,
    early_start: bool,
    triggered: Option<(&'e Event<'ctx>, bool)>,
    started: Option<&'e Event<'ctx>>,
    priority: Option<i32>,
    domain: Option<MemorySyncDomain>,
    domain_map: Option<(u8, u8)>,
    access_policy: Option<AccessPolicy>,
    carveout: Carveout,
    nvlink_centric: bool,
}

impl LaunchConfig {
    /// The same launch, to add attributes to.
    #[doc(alias = "cuLaunchKernelEx")]
    pub fn extended<'e, 'ctx>(self) -> ExtendedLaunch<'e, 'ctx> {
        ExtendedLaunch {
            config: self,
            cooperative: false,
            cluster: None,
            preferred_cluster: None,
            scheduling: None,
            early_start: false,
            triggered: None,
            started: None,
            priority: None,
            domain: None,
            domain_map: None,
            access_policy: None,
            carveout: Carveout::Default,
            nvlink_centric: false,
        }
    }
}

impl<'e, 'ctx> ExtendedLaunch<'e, 'ctx> {
    /// Extents and dynamic shared memory.
    pub fn config(&self) -> LaunchConfig {
        self.config
    }

    /// A cooperative launch: all blocks are on the device at a time, so that they may wait for each other. A
    /// grid that does not fit is `CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE` (F317); as many blocks as
    /// [`Occupancy::cooperative_blocks`](crate::Occupancy::cooperative_blocks) says do.
    ///
    /// On one device. The launch over several is deprecated by the driver, and not here.
    #[doc(alias = "cuLaunchCooperativeKernel")]
    #[doc(alias = "CU_LAUNCH_ATTRIBUTE_COOPERATIVE")]
    pub fn cooperative(self) -> Self {
        ExtendedLaunch { cooperative: true, ..self }
    }

    /// Clusters of so many blocks, of which the grid must be made. What does not divide it, or is too large for
    /// the kernel, is `CUDA_ERROR_INVALID_CLUSTER_SIZE` (F316).
    #[doc(alias = "CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION")]
    pub fn cluster(self, blocks: impl Into<Dim3>) -> Self {
        ExtendedLaunch { cluster: Some(blocks.into()), ..self }
    }

    /// Clusters that are preferred where there is room, in blocks: a multiple of those of
    /// [`cluster`](Self::cluster), which are needed too (F316). Drivers of CUDA 12.8 and later.
    #[doc(alias = "CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION")]
    pub fn preferred_cluster(self, blocks: impl Into<Dim3>) -> Self {
        ExtendedLaunch { preferred_cluster: Some(blocks.into()), ..self }
    }

    /// How the blocks of a cluster are placed.
    #[doc(alias = "CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE")]
    pub fn cluster_scheduling(self, policy: ClusterScheduling) -> Self {
        ExtendedLaunch { scheduling: Some(policy), ..self }
    }

    /// Lets the kernel start before the one before it in the stream is finished: when all blocks of that have
    /// triggered it (`griddepcontrol.launch_dependents`) or ended. What comes next in the stream waits for both
    /// (F318).
    ///
    /// The kernel sees what came before only behind `griddepcontrol.wait`: obligation 3 of a launch then is that
    /// it waits so before it touches memory that earlier work in the stream writes, or writes what that reads.
    #[doc(alias = "CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION")]
    pub fn programmatic_serialization(self) -> Self {
        ExtendedLaunch { early_start: true, ..self }
    }

    /// Records an event that is complete when all blocks have triggered it (`griddepcontrol.launch_dependents`)
    /// or ended; if `at_block_start`, they trigger it as they start. It must have been made with
    /// `DISABLE_TIMING` (F318). Not in captures.
    ///
    /// An event that is complete does not mean that the kernel is finished: scopes and the operations outside them wait
    /// for the kernel itself, and do not look at it.
    #[doc(alias = "CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT")]
    pub fn programmatic_event(self, event: &'e Event<'ctx>, at_block_start: bool) -> Self {
        ExtendedLaunch { triggered: Some((event, at_block_start)), ..self }
    }

    /// Records an event that is complete when all blocks have started; the kernel may run on. It must have been
    /// made with `DISABLE_TIMING`, and without `BLOCKING_SYNC` (F318). Not in captures.
    #[doc(alias = "CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT")]
    pub fn launch_completion_event(self, event: &'e Event<'ctx>) -> Self {
        ExtendedLaunch { started: Some(event), ..self }
    }

    /// A priority of its own, rather than the stream's: lower numbers go first, and what is out of
    /// [the range](crate::PushedGuard::stream_priority_range) is taken all the same (F315).
    #[doc(alias = "CU_LAUNCH_ATTRIBUTE_PRIORITY")]
    pub fn priority(self, priority: i32) -> Self {
        ExtendedLaunch { priority: Some(priority), ..self }
    }

    /// The domain of memory synchronisation, in which fences of the kernel wait for its own accesses.
    #[doc(alias = "CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN")]
    pub fn memory_sync_domain(self, domain: MemorySyncDomain) -> Self {
        ExtendedLaunch { domain: Some(domain), ..self }
    }

    /// Which domains of the device, from 0 on, [`MemorySyncDomain::Default`] and
    /// [`Remote`](MemorySyncDomain::Remote) stand for. The device has a number of them, 4 of them on an H200;
    /// others are `CUDA_ERROR_INVALID_VALUE`.
    #[doc(alias = "CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP")]
    pub fn memory_sync_domain_map(self, default: u8, remote: u8) -> Self {
        ExtendedLaunch { domain_map: Some((default, remote)), ..self }
    }

    /// How the L2 cache treats accesses to a range of memory.
    #[doc(alias = "CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW")]
    pub fn access_policy(self, policy: AccessPolicy) -> Self {
        ExtendedLaunch { access_policy: Some(policy), ..self }
    }

    /// How much of the memory that L1 cache and shared memory divide is to be shared memory: a hint, for this launch in
    /// the place of [the function's](crate::Function::set_carveout), which [`Carveout::Default`] leaves as it is. More than
    /// 100 percent are `CUDA_ERROR_INVALID_VALUE` (F315). Drivers of CUDA 12.5 and later.
    #[doc(alias = "CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT")]
    pub fn shared_memory_carveout(self, carveout: Carveout) -> Self {
        ExtendedLaunch { carveout, ..self }
    }

    /// Places blocks for traffic over NVLink: a hint. Drivers of CUDA 13.0 and later.
    #[doc(alias = "CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING")]
    pub fn nvlink_centric(self) -> Self {
        ExtendedLaunch { nvlink_centric: true, ..self }
    }

    /// Its attributes, and how many.
    fn lower(&self) -> ([CUlaunchAttribute; MOST], usize) {
        let ignored = attribute(ffi::CU_LAUNCH_ATTRIBUTE_IGNORE, |_| {});
        let (mut list, mut len) = ([ignored; MOST], 0);
        let mut add = |id, set: &dyn Fn(&mut CUlaunchAttributeValue)| {
            list[len] = attribute(id, set);
            len += 1;
        };
        if self.cooperative {
            add(ffi::CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &|value| value.cooperative = 1);
        }
        if let Some(Dim3 { x, y, z }) = self.cluster {
            add(ffi::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &|value| {
                value.clusterDim = CUlaunchAttributeValue_clusterDim { x, y, z };
            });
        }
        if let Some(Dim3 { x, y, z }) = self.preferred_cluster {
            add(ffi::CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION, &|value| {
                value.preferredClusterDim = CUlaunchAttributeValue_preferredClusterDim { x, y, z };
            });
        }
        if let Some(policy) = self.scheduling {
            add(ffi::CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, &|value| {
                value.clusterSchedulingPolicyPreference = policy.raw();
            });
        }
        if self.early_start {
            add(ffi::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, &|value| {
                value.programmaticStreamSerializationAllowed = 1;
            });
        }
        if let Some((event, at_block_start)) = self.triggered {
            add(ffi::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT, &|value| {
                value.programmaticEvent = CUlaunchAttributeValue_programmaticEvent {
                    event: event.raw(),
                    flags: 0,
                    triggerAtBlockStart: at_block_start.into(),
                };
            });
        }
        if let Some(event) = self.started {
            add(ffi::CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT, &|value| {
                let event = event.raw();
                value.launchCompletionEvent =
                    CUlaunchAttributeValue_launchCompletionEvent { event, flags: 0 };
            });
        }
        if let Some(priority) = self.priority {
            add(ffi::CU_LAUNCH_ATTRIBUTE_PRIORITY, &|value| value.priority = priority);
        }
        if let Some(domain) = self.domain {
            add(ffi::CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN, &|value| {
                value.memSyncDomain = domain.raw();
            });
        }
        if let Some((default_, remote)) = self.domain_map {
            add(ffi::CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, &|value| {
                value.memSyncDomainMap = CUlaunchMemSyncDomainMap { default_, remote };
            });
        }
        if let Some(policy) = self.access_policy {
            add(ffi::CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &|value| {
                value.accessPolicyWindow = policy.raw();
            });
        }
        if let Carveout::Percent(percent) = self.carveout {
            add(ffi::CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, &|value| {
                value.sharedMemCarveout = percent;
            });
        }
        if self.nvlink_centric {
            add(ffi::CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING, &|value| {
                value.nvlinkUtilCentricScheduling = 1;
            });
        }
        (list, len)
    }

    /// Calls `f` with the launch as C has it.
    pub(crate) fn with_raw<R>(&self, stream: CUstream, f: impl FnOnce(&CUlaunchConfig) -> R) -> R {
        let LaunchConfig { grid, block, shared_bytes } = self.config;
        let (mut attributes, len) = self.lower();
        f(&CUlaunchConfig {
            gridDimX: grid.x,
            gridDimY: grid.y,
            gridDimZ: grid.z,
            blockDimX: block.x,
            blockDimY: block.y,
            blockDimZ: block.z,
            sharedMemBytes: shared_bytes,
            hStream: stream,
            attrs: if len == 0 { ptr::null_mut() } else { attributes.as_mut_ptr() },
            numAttrs: len as u32,
        })
    }
}

/// An attribute, all of it zeros but what `set` sets.
fn attribute(
    id: CUlaunchAttributeID,
    set: impl FnOnce(&mut CUlaunchAttributeValue),
) -> CUlaunchAttribute {
    let mut value = CUlaunchAttributeValue { pad: [0 as c_char; 64] };
    set(&mut value);
    CUlaunchAttribute { id, pad: [0; 4], value }
}

impl Spec for ExtendedLaunch<'_, '_> {
    #[inline]
    fn call(&self) -> &'static str {
        name!(cuLaunchKernelEx)
    }
    #[inline]
    fn is_extended(&self) -> bool {
        true
    }
    #[inline]
    fn all_of(&self, key: usize) -> bool {
        let events = [self.triggered.map(|(event, _)| event), self.started];
        events.into_iter().flatten().all(|event| event.context().key() == key)
    }
    #[inline]
    fn has_events(&self) -> bool {
        self.triggered.is_some() || self.started.is_some()
    }
    fn plain(&self) -> Option<LaunchConfig> {
        (self.lower().1 == 0).then_some(self.config)
    }
    #[inline]
    fn prepared(&self, stream: &CUstream, f: impl FnOnce(Prepared<'_>) -> Result) -> Result {
        self.with_raw(*stream, |config| f(Prepared::Extended(config)))
    }
}

impl fmt::Debug for ExtendedLaunch<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (list, len) = self.lower();
        let ids = list[..len].iter().map(|attribute| attribute.id.0).collect::<Vec<_>>();
        f.debug_struct("ExtendedLaunch")
            .field("config", &self.config)
            .field("attributes", &ids)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr::null_mut;

    #[test]
    fn what_was_asked_for_is_an_attribute_once() {
        let plain = LaunchConfig::new((2, 3), 32).with_shared_bytes(8).extended();
        plain.with_raw(null_mut(), |raw| {
            assert_eq!((raw.gridDimX, raw.gridDimY, raw.gridDimZ), (2, 3, 1));
            assert_eq!((raw.blockDimX, raw.sharedMemBytes), (32, 8));
            assert!(raw.attrs.is_null() && raw.numAttrs == 0);
        });
        let all = plain
            .cooperative()
            .cluster(2)
            .preferred_cluster(4)
            .cluster_scheduling(ClusterScheduling::Spread)
            .programmatic_serialization()
            .priority(-1)
            .priority(-2)
            .memory_sync_domain(MemorySyncDomain::Remote)
            .memory_sync_domain_map(0, 1)
            .shared_memory_carveout(Carveout::Percent(50))
            .nvlink_centric();
        let (list, len) = all.lower();
        let ids: Vec<u32> = list[..len].iter().map(|attribute| attribute.id.0).collect();
        assert_eq!(ids, [2, 4, 11, 5, 6, 8, 10, 9, 14, 16]);
        assert!(list[len..].iter().all(|attribute| attribute.id.0 == 0));
        // The function's own is what a launch has without the attribute: −1 is no value of it (F315).
        let default = plain.shared_memory_carveout(Carveout::Percent(7));
        assert_eq!(default.shared_memory_carveout(Carveout::Default).lower().1, 0);
    }
}
