//! Attributes of launches (F315 to F319).
//!
//! Attributes for speed have no effect: priorities, domains, L2 windows, carve-outs, and early
//! starts. A cooperative launch has all its blocks on their way at a time.

use crate::entry::Answer;
use crate::model::device::{MAX_THREADS, all as device_list};
use crate::model::event::Event;
use crate::model::function::Function;
use crate::model::occupancy::{CLUSTER, LARGE_CLUSTER};
use crate::model::stream::Target;
use crate::model::{attributes as stream_attributes, event, occupancy, priority};
use crate::{entry, sync};
use core::ffi::c_uint;
use cuscope_sys::*;
use std::collections::BTreeMap;
use std::mem::MaybeUninit;
use std::sync::Arc;

/// Bytes of a window of the L2 cache.
const WINDOW: usize = 128 << 20;
/// Domains of memory synchronisation.
const DOMAINS: u8 = 4;

/// The requests of a launch's attributes.
#[derive(Default)]
pub(crate) struct Attributes {
    pub(crate) cooperative: bool,
    cluster: Option<[u32; 3]>,
    preferred: Option<[u32; 3]>,
    /// Complete when the blocks have started.
    started: Option<Arc<Event>>,
    /// Complete when the blocks have triggered it, or ended.
    triggered: Option<Arc<Event>>,
    /// The values, by their ids.
    pub(crate) values: Values,
}

/// The bytes of a value. Those after the field that its kind has, and between the parts of that, may be unset.
type Bytes = [MaybeUninit<u8>; size_of::<CUlaunchAttributeValue>()];
const ZERO: Bytes = [MaybeUninit::new(0); size_of::<Bytes>()];

/// The number that a value begins with.
fn number(value: &Bytes) -> Answer<i32> {
    entry::read(value.as_ptr().cast())
}

/// The values of attributes that were set, by their ids: a node tells them.
#[derive(Clone, Default)]
pub(crate) struct Values(BTreeMap<c_uint, Bytes>);

/// The bytes of the attributes that kernel nodes have, by their ids (F554).
const OF_NODES: &[(CUlaunchAttributeID, usize)] = &[
    (CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, size_of::<CUaccessPolicyWindow>()),
    (CU_LAUNCH_ATTRIBUTE_COOPERATIVE, 4),
    (CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, 12),
    (CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, 4),
    (CU_LAUNCH_ATTRIBUTE_PRIORITY, 4),
    (CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, 2),
    (CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN, 4),
    (CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 4),
];

impl Values {
    /// The value of an attribute; INVALID_VALUE for one that nodes do not have or do not tell.
    pub(crate) fn get(&self, id: CUlaunchAttributeID) -> Answer<(Bytes, usize)> {
        let found = OF_NODES.iter().find(|&&(of, _)| of == id);
        let &(_, len) = found.ok_or(CUDA_ERROR_INVALID_VALUE)?;
        let mut first = ZERO;
        // The domain of remote traffic.
        first[1] = MaybeUninit::new((id == CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP).into());
        Ok((self.0.get(&id.0).copied().unwrap_or(first), len))
    }

    /// Sets an attribute that nodes have; INVALID_VALUE otherwise. Priorities become possible ones.
    pub(crate) fn set(&mut self, id: CUlaunchAttributeID, mut value: Bytes) -> Answer {
        if id == CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE {
            return Err(CUDA_ERROR_NOT_SUPPORTED); // There is no code on the device that could use it.
        }
        // It is taken, and not told.
        let told = id != CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING;
        if told {
            self.get(id)?;
        }
        match id {
            // Those of launches are up to 2.
            CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE if number(&value)? == 3 => {}
            _ => {
                let attribute = Attribute { id, pad: [0; 4], value };
                Attributes::default().add((&raw const attribute).cast(), None)?;
            }
        }
        if id == CU_LAUNCH_ATTRIBUTE_PRIORITY {
            let priority = priority::clamped(number(&value)?);
            entry::write(value.as_mut_ptr().cast(), priority)?;
        }
        if told {
            self.0.insert(id.0, value);
        }
        Ok(())
    }

    /// Returns their requests.
    pub(crate) fn attributes(&self) -> Answer<Attributes> {
        let mut read = Attributes::default();
        for (&id, &value) in &self.0 {
            if id == CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE.0 {
                continue; // Nothing runs otherwise for it.
            }
            let attribute = Attribute { id: CUlaunchAttributeID(id), pad: [0; 4], value };
            read.add((&raw const attribute).cast(), None)?;
        }
        Ok(read)
    }

    /// Whether a launch may start before the one before it in the stream has ended.
    pub(crate) fn starts_early(&self) -> bool {
        let id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION.0;
        self.0.get(&id).is_some_and(|value| number(value) != Ok(0))
    }

    /// Takes over the attributes of a stream that were not set, for a launch in a capture.
    fn take(&mut self, of: &stream_attributes::Attributes) {
        for id in [
            CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW,
            CU_LAUNCH_ATTRIBUTE_PRIORITY,
            CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP,
            CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN,
        ] {
            self.0.entry(id.0).or_insert_with(|| {
                let mut value = ZERO;
                // It is an attribute of streams.
                let _told = of.tell(id, value.as_mut_ptr().cast());
                value
            });
        }
    }

    /// Those of a launch that becomes a node of a capture.
    pub(crate) fn captured(&self, target: &Target) -> Self {
        let mut all = self.clone();
        all.take(&sync::lock(&target.queue.attributes));
        all
    }
}

/// An attribute with the bytes of its value.
#[repr(C)]
struct Attribute {
    id: CUlaunchAttributeID,
    pad: [u8; 4],
    value: Bytes,
}

const _: () = assert!(size_of::<Attribute>() == size_of::<CUlaunchAttribute>());

/// The value of an attribute, as the field that its kind has.
fn value<T: Copy>(attribute: *const CUlaunchAttribute) -> Answer<T> {
    entry::read(attribute.wrapping_byte_add(std::mem::offset_of!(CUlaunchAttribute, value)).cast())
}

/// An error unless it holds.
fn good(holds: bool) -> Answer {
    if holds { Ok(()) } else { Err(CUDA_ERROR_INVALID_VALUE) }
}

/// Where a launch goes, and whether that is a capture.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) target: &'a Target,
    pub(crate) captured: bool,
}

/// The event of an attribute (F318): in its context, without times.
fn event_of(
    handle: CUevent,
    flags: i32,
    place: Option<Place<'_>>,
    may_block: bool,
) -> Answer<Option<Arc<Event>>> {
    if handle.is_null() {
        return Err(CUDA_ERROR_INVALID_HANDLE);
    }
    good((0..=1).contains(&flags))?;
    let Some(Place { target, captured }) = place else { return Ok(None) };
    if flags == 1 {
        return Err(if captured { CUDA_ERROR_NOT_SUPPORTED } else { CUDA_ERROR_ILLEGAL_STATE });
    }
    let event = event::find(handle)?;
    if !target.life.shares(&event.life) {
        return Err(CUDA_ERROR_INVALID_HANDLE);
    }
    let plain = event.has(CUevent_flags::CU_EVENT_DISABLE_TIMING)
        && !event.has(CUevent_flags::CU_EVENT_INTERPROCESS)
        && (may_block || !event.has(CUevent_flags::CU_EVENT_BLOCKING_SYNC));
    if plain { Ok(Some(event)) } else { Err(CUDA_ERROR_NOT_SUPPORTED) }
}

impl Attributes {
    /// Those of a cooperative launch.
    pub(crate) fn cooperative() -> Self {
        let mut value = ZERO;
        value[0] = MaybeUninit::new(1);
        let values = Values(BTreeMap::from([(CU_LAUNCH_ATTRIBUTE_COOPERATIVE.0, value)]));
        Self { cooperative: true, values, ..Self::default() }
    }

    pub(crate) fn add(
        &mut self,
        attribute: *const CUlaunchAttribute,
        place: Option<Place<'_>>,
    ) -> Answer {
        let id = entry::read(attribute.cast::<CUlaunchAttributeID>())?;
        match id {
            CU_LAUNCH_ATTRIBUTE_IGNORE
            | CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION
            | CU_LAUNCH_ATTRIBUTE_PRIORITY => {}
            CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW => {
                let window: CUaccessPolicyWindow = value(attribute)?;
                // A value that is no number passes.
                good(!(window.hitRatio < 0.0 || window.hitRatio > 1.0))?;
                good(window.num_bytes <= WINDOW)?;
                good(window.missProp != CU_ACCESS_PROPERTY_PERSISTING)?;
            }
            CU_LAUNCH_ATTRIBUTE_COOPERATIVE => {
                self.cooperative = value::<i32>(attribute)? != 0;
            }
            CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION => {
                // All zeros are no cluster.
                self.cluster = Some(value(attribute)?).filter(|extents| *extents != [0; 3]);
                if self.cluster.is_some_and(|extents| extents.contains(&0)) {
                    return Err(CUDA_ERROR_INVALID_CLUSTER_SIZE);
                }
            }
            CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION => {
                self.preferred = Some(value(attribute)?).filter(|extents| *extents != [0; 3]);
            }
            CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE => {
                good(value::<u32>(attribute)? <= 2)?;
            }
            CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT => {
                let it: CUlaunchAttributeValue_programmaticEvent = value(attribute)?;
                self.triggered = event_of(it.event, it.flags, place, true)?;
            }
            CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT => {
                let it: CUlaunchAttributeValue_launchCompletionEvent = value(attribute)?;
                self.started = event_of(it.event, it.flags, place, false)?;
            }
            CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP => {
                let it: CUlaunchMemSyncDomainMap = value(attribute)?;
                good(it.default_ < DOMAINS && it.remote < DOMAINS)?;
            }
            CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN
            | CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING => {
                good(value::<u32>(attribute)? <= 1)?;
            }
            CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT => {
                good(value::<u32>(attribute)? <= 100)?;
            }
            // A handle for device code, in graphs only.
            CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE => {
                return Err(CUDA_ERROR_NOT_SUPPORTED);
            }
            _ => return Err(CUDA_ERROR_INVALID_VALUE),
        }
        if id != CU_LAUNCH_ATTRIBUTE_IGNORE {
            self.values.0.insert(id.0, value(attribute)?);
        }
        Ok(())
    }

    /// Blocks of a cluster, if there are clusters.
    pub(crate) fn cluster_size(&self) -> Option<u32> {
        self.cluster.map(|extents| extents.into_iter().fold(1, u32::saturating_mul))
    }

    /// The extents of clusters, if it asks for them.
    pub(crate) fn cluster(&self) -> Option<[u32; 3]> {
        self.cluster
    }

    /// Refuses clusters that the grid is not made of, that are too large, or that are not those of the kernel.
    pub(crate) fn check_cluster(&self, function: &Function, grid: [u32; 3]) -> Answer {
        let divides = |extents: [u32; 3], of: [u32; 3]| {
            extents.iter().zip(of).all(|(&extent, of)| extent != 0 && of.is_multiple_of(extent))
        };
        let size = |extents: [u32; 3]| extents.into_iter().fold(1, u32::saturating_mul);
        let most = if function.large_clusters() { LARGE_CLUSTER } else { CLUSTER };
        let own = function.cluster();
        let alike = match (self.cluster, own) {
            (Some(asked), Some(own)) => asked == own,
            (None, None) => !function.kernel().block.explicit_cluster,
            _ => true,
        };
        let good = match (self.cluster.or(own), self.preferred) {
            (None, None) => true,
            (None, Some(_)) => false,
            (Some(cluster), preferred) => {
                let larger = preferred.unwrap_or(cluster);
                divides(cluster, grid)
                    && divides(cluster, larger)
                    && divides(larger, grid)
                    && size(larger) <= most
            }
        };
        if good && alike { Ok(()) } else { Err(CUDA_ERROR_INVALID_CLUSTER_SIZE) }
    }

    /// Refuses a cooperative launch of more blocks than the device holds.
    pub(crate) fn check_cooperative(
        &self,
        function: &Function,
        grid: [u32; 3],
        block: [u32; 3],
        dynamic: usize,
    ) -> Answer {
        // Three extents of 32 bits may be more than a number: then they are too many in either case.
        let count = |extents: [u32; 3]| {
            extents.iter().fold(1, |all: u64, &one| all.saturating_mul(one.into()))
        };
        let (blocks, threads) = (count(grid), count(block));
        // A shape of nothing is refused as such.
        if !self.cooperative || blocks == 0 || !(1..=MAX_THREADS.into()).contains(&threads) {
            return Ok(());
        }
        let device = &device_list()[function.module.life.device];
        if device.lacks(CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH) {
            return Err(CUDA_ERROR_NOT_SUPPORTED);
        }
        let resident = occupancy::resident(function, threads as u32, dynamic);
        if blocks <= resident { Ok(()) } else { Err(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE) }
    }

    /// The event of a start.
    pub(crate) fn started(&self) -> Option<&Event> {
        self.started.as_deref()
    }

    /// The event of triggers.
    pub(crate) fn triggered(&self) -> Option<&Event> {
        self.triggered.as_deref()
    }
}
