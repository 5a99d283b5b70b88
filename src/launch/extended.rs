//! Launches with attributes.

use super::refusals::Details;
use super::spec::sealed::{Prepared, Spec};
use super::{
    ClusterPortability, ClusterScheduling, Dim3, LaunchConfig, LaunchShape, SharedMemoryMode,
};
use crate::call::name;
use crate::event::Event;
use crate::function::Carveout;
use crate::memory::{AccessPolicyWindow, MemSyncDomain};
use ffi::{
    CUlaunchAttribute, CUlaunchAttributeID, CUlaunchAttributeValue,
    CUlaunchAttributeValue_clusterDim, CUlaunchAttributeValue_launchCompletionEvent,
    CUlaunchAttributeValue_preferredClusterDim, CUlaunchAttributeValue_programmaticEvent,
    CUlaunchConfig, CUlaunchMemSyncDomainMap, CUstream,
};
use std::ffi::c_char;
use std::{fmt, ptr};

/// The maximum number of attributes of a launch: one of each kind.
const MOST: usize = 15;

/// A launch with attributes. [`LaunchConfig::extended`] creates it, and every launch method accepts it.
///
/// It makes one driver call, like a launch without attributes ([F319](crate::driver_facts#F319)). The
/// requirements of an attribute on the kernel belong to obligation 3 of
/// [`SyncStream::launch_unchecked`](crate::SyncStream::launch_unchecked).
///
/// Every attribute of CUDA 13 that a launch takes is here, but for two. A synchronization policy belongs to a
/// [stream](crate::Stream::set_sync_policy): the driver refuses it for a launch. A kernel node that kernels update
/// themselves would change a graph behind its owner, and needs a library for device code.
///
/// # Examples
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
    domain: Option<MemSyncDomain>,
    domain_map: Option<(u8, u8)>,
    access_policy_window: Option<AccessPolicyWindow>,
    carveout: Carveout,
    nvlink_centric: bool,
    portability: Option<ClusterPortability>,
    shared_memory: Option<SharedMemoryMode>,
}

impl LaunchConfig {
    /// Returns the same launch as an [`ExtendedLaunch`], to which you can add attributes.
    #[doc(alias = "cuLaunchKernelEx")]
    #[doc(alias = "cudaLaunchKernelEx")]
    #[doc(alias = "cudaLaunchCooperativeKernel")]
    #[inline]
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
            access_policy_window: None,
            carveout: Carveout::Default,
            nvlink_centric: false,
            portability: None,
            shared_memory: None,
        }
    }
}

impl<'e, 'ctx> ExtendedLaunch<'e, 'ctx> {
    /// Returns the extents and the dynamic shared memory.
    pub fn config(&self) -> LaunchConfig {
        self.config
    }

    /// Makes the launch cooperative: all its blocks are on the device simultaneously, so they may wait for each
    /// other.
    ///
    /// A grid that does not fit is `CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE`
    /// ([F317](crate::driver_facts#F317)).
    /// [`Occupancy::cooperative_blocks`](crate::launch::Occupancy::cooperative_blocks) returns how many blocks
    /// fit. The launch runs on one device. The driver deprecates the launch on several, and this crate does not
    /// have it.
    #[doc(alias = "cuLaunchCooperativeKernel")]
    #[doc(alias = "CU_LAUNCH_ATTRIBUTE_COOPERATIVE")]
    pub fn cooperative(self) -> Self {
        ExtendedLaunch { cooperative: true, ..self }
    }

    /// Groups the blocks of the grid into clusters of `blocks`. A cluster that does not divide the grid, or is
    /// too large for the kernel, is `CUDA_ERROR_INVALID_CLUSTER_SIZE` ([F316](crate::driver_facts#F316)).
    #[doc(alias = "CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION")]
    pub fn cluster(self, blocks: impl Into<Dim3>) -> Self {
        ExtendedLaunch { cluster: Some(blocks.into()), ..self }
    }

    /// Sets the preferred cluster, in blocks, which is used where it fits. It is a multiple of the
    /// [`cluster`](Self::cluster), which you must set too ([F316](crate::driver_facts#F316)). Requires a driver
    /// of CUDA 12.8 or later.
    #[doc(alias = "CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION")]
    pub fn preferred_cluster(self, blocks: impl Into<Dim3>) -> Self {
        ExtendedLaunch { preferred_cluster: Some(blocks.into()), ..self }
    }

    /// Sets how the blocks of a cluster are placed.
    #[doc(alias = "CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE")]
    pub fn cluster_scheduling(self, policy: ClusterScheduling) -> Self {
        ExtendedLaunch { scheduling: Some(policy), ..self }
    }

    /// Lets the kernel start before the previous kernel in the stream is complete: when all blocks of that
    /// kernel have triggered the start (`griddepcontrol.launch_dependents`) or ended. The next work in the
    /// stream waits for both kernels ([F318](crate::driver_facts#F318)).
    ///
    /// The kernel sees the results of earlier work only after `griddepcontrol.wait`. Obligation 3 of a launch
    /// then requires that the kernel waits this way before it touches memory that earlier work in the stream
    /// writes, and before it writes memory that earlier work reads.
    #[doc(alias = "CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION")]
    pub fn programmatic_serialization(self) -> Self {
        ExtendedLaunch { early_start: true, ..self }
    }

    /// Records an event that completes when all blocks have triggered it (`griddepcontrol.launch_dependents`)
    /// or ended. With `at_block_start`, blocks trigger it as they start.
    ///
    /// The event must have been created with `DISABLE_TIMING` ([F318](crate::driver_facts#F318)). Captures do
    /// not support it. A complete event does not mean that the kernel is complete: scopes, and operations
    /// outside them, wait for the kernel itself and ignore the event.
    #[doc(alias = "CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT")]
    pub fn programmatic_event(self, event: &'e Event<'ctx>, at_block_start: bool) -> Self {
        ExtendedLaunch { triggered: Some((event, at_block_start)), ..self }
    }

    /// Records an event that completes when all blocks have started. The kernel may still run. The event must
    /// have been created with `DISABLE_TIMING` and without `BLOCKING_SYNC` ([F318](crate::driver_facts#F318)).
    /// Captures do not support it.
    #[doc(alias = "CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT")]
    pub fn launch_completion_event(self, event: &'e Event<'ctx>) -> Self {
        ExtendedLaunch { started: Some(event), ..self }
    }

    /// Sets the priority of this launch, instead of the stream's. Lower numbers go first. The driver accepts
    /// numbers outside [the range](crate::PushedGuard::stream_priority_range) too
    /// ([F315](crate::driver_facts#F315)).
    #[doc(alias = "CU_LAUNCH_ATTRIBUTE_PRIORITY")]
    pub fn priority(self, priority: i32) -> Self {
        ExtendedLaunch { priority: Some(priority), ..self }
    }

    /// Sets the memory synchronisation domain. Fences of the kernel wait for accesses of its own domain.
    #[doc(alias = "CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN")]
    pub fn mem_sync_domain(self, domain: MemSyncDomain) -> Self {
        ExtendedLaunch { domain: Some(domain), ..self }
    }

    /// Sets the device's domains, counted from 0, that [`MemSyncDomain::Default`] and
    /// [`Remote`](MemSyncDomain::Remote) stand for. A device has a fixed number of them, an H200 has 4;
    /// other numbers are `CUDA_ERROR_INVALID_VALUE`.
    #[doc(alias = "CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP")]
    pub fn mem_sync_domain_map(self, default: u8, remote: u8) -> Self {
        ExtendedLaunch { domain_map: Some((default, remote)), ..self }
    }

    /// Sets how the L2 cache treats accesses to a range of memory.
    #[doc(alias = "CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW")]
    pub fn access_policy_window(self, window: AccessPolicyWindow) -> Self {
        ExtendedLaunch { access_policy_window: Some(window), ..self }
    }

    /// Sets the preferred shared-memory carve-out for this launch (a hint).
    ///
    /// It overrides [the function's setting](crate::Function::set_carveout); [`Carveout::Default`] keeps that.
    /// More than 100 percent is `CUDA_ERROR_INVALID_VALUE` ([F315](crate::driver_facts#F315)). Requires a
    /// driver of CUDA 12.5 or later.
    #[doc(alias = "CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT")]
    pub fn shared_memory_carveout(self, carveout: Carveout) -> Self {
        ExtendedLaunch { carveout, ..self }
    }

    /// Places blocks for traffic over NVLink (a hint). Requires a driver of CUDA 13.0 or later.
    #[doc(alias = "CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING")]
    pub fn nvlink_centric(self) -> Self {
        ExtendedLaunch { nvlink_centric: true, ..self }
    }

    /// Sets whether clusters may be larger than every device can run them, for this launch.
    ///
    /// Requires a driver newer than CUDA 13.0: others refuse it ([F315](crate::driver_facts#F315)).
    #[doc(alias = "CU_LAUNCH_ATTRIBUTE_PORTABLE_CLUSTER_SIZE_MODE")]
    pub fn cluster_portability(self, portability: ClusterPortability) -> Self {
        ExtendedLaunch { portability: Some(portability), ..self }
    }

    /// Sets how much dynamic shared memory the launch may ask for.
    ///
    /// Requires a driver newer than CUDA 13.0: others refuse it ([F315](crate::driver_facts#F315)).
    #[doc(alias = "CU_LAUNCH_ATTRIBUTE_SHARED_MEMORY_MODE")]
    pub fn shared_memory_mode(self, mode: SharedMemoryMode) -> Self {
        ExtendedLaunch { shared_memory: Some(mode), ..self }
    }

    /// Returns the attributes and their number.
    #[inline]
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
        if let Some(window) = self.access_policy_window {
            add(ffi::CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &|value| {
                value.accessPolicyWindow = window.raw();
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
        if let Some(portability) = self.portability {
            add(ffi::CU_LAUNCH_ATTRIBUTE_PORTABLE_CLUSTER_SIZE_MODE, &|value| {
                value.portableClusterSizeMode = portability.raw();
            });
        }
        if let Some(mode) = self.shared_memory {
            add(ffi::CU_LAUNCH_ATTRIBUTE_SHARED_MEMORY_MODE, &|value| {
                value.sharedMemoryMode = mode.raw();
            });
        }
        (list, len)
    }

    /// Calls `f` with the launch as C represents it.
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

/// Creates an attribute, with zeros everywhere except in the field that `set` sets.
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
    fn shared_bytes(&self) -> u32 {
        self.config.shared_bytes
    }
    #[inline]
    fn shape(&self) -> LaunchShape {
        LaunchShape {
            cluster: self.cluster,
            preferred_cluster: self.preferred_cluster,
            cooperative: self.cooperative,
            ..LaunchShape::from(self.config)
        }
    }
    #[inline]
    fn is_empty(&self) -> bool {
        self.config.is_empty()
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
    #[inline]
    fn no_node(&self) -> Option<&'static str> {
        if self.has_events() {
            return Some("a kernel node cannot record events: add event nodes before and after it");
        }
        let reason =
            "a kernel node starts after the nodes that it depends on: capture the launches instead";
        self.early_start.then_some(reason)
    }
    fn details(&self) -> Details {
        let portability = self.portability.map(|_| "cluster_portability");
        let newer = portability.or(self.shared_memory.map(|_| "shared_memory_mode"));
        let newer = newer.or(self.nvlink_centric.then_some("nvlink_centric"));
        let (domain_map, carveout) = (self.domain_map, self.carveout);
        let window_bytes = self.access_policy_window.map(|window| window.raw().num_bytes);
        Details { shape: self.shape(), domain_map, window_bytes, carveout, newer }
    }
    #[inline]
    fn prepared<R>(&self, stream: CUstream, f: impl FnOnce(Prepared<'_>) -> R) -> R {
        self.with_raw(stream, |config| f(Prepared::Extended(config)))
    }
}

impl fmt::Debug for ExtendedLaunch<'_, '_> {
    #[inline]
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
#[allow(unsafe_code, reason = "reads fields of a union")]
mod tests {
    use super::*;
    use std::ptr::null_mut;

    #[test]
    fn each_request_is_one_attribute() {
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
            .mem_sync_domain(MemSyncDomain::Remote)
            .mem_sync_domain_map(0, 1)
            .shared_memory_carveout(Carveout::Percent(50))
            .nvlink_centric()
            .cluster_portability(ClusterPortability::NonPortable)
            .shared_memory_mode(SharedMemoryMode::Oversized);
        let (list, len) = all.lower();
        let ids: Vec<u32> = list[..len].iter().map(|attribute| attribute.id.0).collect();
        assert_eq!(ids, [2, 4, 11, 5, 6, 8, 10, 9, 14, 16, 17, 18]);
        assert!(list[len..].iter().all(|attribute| attribute.id.0 == 0));
        // SAFETY: the values were zeros before a field was set, and no field has padding in its first three words.
        let words =
            |one: &CUlaunchAttribute| unsafe { (&raw const one.value).cast::<[u32; 3]>().read() };
        let values: Vec<[u32; 3]> = list[..len].iter().map(words).collect();
        let expected = [
            [1, 0, 0],
            [2, 1, 1],
            [4, 1, 1],
            [ClusterScheduling::Spread.raw().0, 0, 0],
            [1, 0, 0],
            [-2_i32 as u32, 0, 0],
            [1, 0, 0],
            [1 << 8, 0, 0],
            [50, 0, 0],
            [1, 0, 0],
            [ClusterPortability::NonPortable.raw().0, 0, 0],
            [SharedMemoryMode::Oversized.raw().0, 0, 0],
        ];
        assert_eq!(values, expected);
        // A launch without the attribute uses the function's own setting: −1 is not a value of the attribute
        // (F315).
        let default = plain.shared_memory_carveout(Carveout::Percent(7));
        assert_eq!(default.shared_memory_carveout(Carveout::Default).lower().1, 0);
    }
    #[test]
    fn each_event_of_a_launch_is_in_its_own_attribute() {
        use crate::{Context, ContextFlags, ContextStack, Device};
        let context = Context::create(Device::get(0).unwrap(), ContextFlags::default()).unwrap();
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&context).unwrap();
        let (first, second) = (gpu.event().unwrap(), gpu.event().unwrap());
        let plain = LaunchConfig::new(1, 1).extended();
        let both = plain.programmatic_event(&first, true).launch_completion_event(&second);
        let (list, len) = both.lower();
        assert_eq!((len, list[0].id.0, list[1].id.0), (2, 7, 12));
        // SAFETY: this field was set.
        let triggered = unsafe { list[0].value.programmaticEvent };
        // SAFETY: this field was set.
        let started = unsafe { list[1].value.launchCompletionEvent };
        assert_eq!(
            (triggered.event, triggered.flags, triggered.triggerAtBlockStart),
            (first.raw(), 0, 1)
        );
        assert_eq!((started.event, started.flags), (second.raw(), 0));
        let (list, _) = plain.programmatic_event(&first, false).lower();
        // SAFETY: as above.
        assert_eq!(unsafe { list[0].value.programmaticEvent }.triggerAtBlockStart, 0);
    }
}
