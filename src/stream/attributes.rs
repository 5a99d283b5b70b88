//! Attributes of streams.
#![allow(unsafe_code, reason = "calls the driver, and reads the union of its values")]

use crate::call::{answer, name};
use crate::error::{Error, Result};
use crate::memory::{DeviceMemory, Element};
use crate::stream::Stream;
use ffi::{
    CUaccessPolicyWindow, CUaccessProperty, CUdeviceptr, CUlaunchMemSyncDomain,
    CUlaunchMemSyncDomainMap, CUstreamAttrID, CUstreamAttrValue, CUsynchronizationPolicy,
};

const GET: &str = name!(cuStreamGetAttribute);

/// How a thread waits for a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SyncPolicy {
    /// The driver chooses.
    Auto,
    /// It spins.
    Spin,
    /// It spins and yields to other threads.
    Yield,
    /// It sleeps.
    BlockingSync,
}

impl SyncPolicy {
    const ALL: [(SyncPolicy, CUsynchronizationPolicy); 4] = [
        (SyncPolicy::Auto, ffi::CU_SYNC_POLICY_AUTO),
        (SyncPolicy::Spin, ffi::CU_SYNC_POLICY_SPIN),
        (SyncPolicy::Yield, ffi::CU_SYNC_POLICY_YIELD),
        (SyncPolicy::BlockingSync, ffi::CU_SYNC_POLICY_BLOCKING_SYNC),
    ];
}

/// How the L2 cache treats an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum AccessProperty {
    /// As any other.
    #[default]
    Normal,
    /// What is read or written leaves the cache first.
    Streaming,
    /// What is read or written stays in the part of the cache that is
    /// [set aside](crate::Limit::PersistingL2CacheSize).
    Persisting,
}

impl AccessProperty {
    const ALL: [(AccessProperty, CUaccessProperty); 3] = [
        (AccessProperty::Normal, ffi::CU_ACCESS_PROPERTY_NORMAL),
        (AccessProperty::Streaming, ffi::CU_ACCESS_PROPERTY_STREAMING),
        (AccessProperty::Persisting, ffi::CU_ACCESS_PROPERTY_PERSISTING),
    ];

    fn raw(self) -> CUaccessProperty {
        Self::ALL[self as usize].1
    }

    fn of(raw: CUaccessProperty) -> Result<AccessProperty> {
        named(&Self::ALL, raw).ok_or(Error::UnknownValue { call: GET, value: raw.0 })
    }
}

/// A range of addresses, and how the L2 cache treats what a stream's kernels access there: a hint, which
/// may name memory that is not there any more (F155).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AccessPolicyWindow {
    /// Where the range begins.
    pub address: CUdeviceptr,
    /// Bytes of the range, at most the device's `CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE`.
    pub bytes: usize,
    /// The share of the accesses that are treated as `hit`, from 0 to 1.
    pub hit_ratio: f32,
    /// How these are treated.
    pub hit: AccessProperty,
    /// How the others are: not [`Persisting`](AccessProperty::Persisting).
    pub miss: AccessProperty,
}

impl AccessPolicyWindow {
    /// On some memory: that share of the accesses stays in the cache, and the others leave it first.
    pub fn persisting<'ctx, T: Element>(
        memory: &impl DeviceMemory<'ctx, T>,
        hit_ratio: f32,
    ) -> AccessPolicyWindow {
        let view = memory.view();
        AccessPolicyWindow {
            address: view.address,
            bytes: view.len * size_of::<T>(),
            hit_ratio,
            hit: AccessProperty::Persisting,
            miss: AccessProperty::Streaming,
        }
    }
}

/// What kernels' writes are for: those of different domains do not wait for each other where a device
/// makes memory visible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum MemSyncDomain {
    /// The device's own use.
    #[default]
    Default,
    /// Other devices.
    Remote,
}

/// The number of the domain that stands for each name, below the device's
/// `CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemSyncDomainMap {
    /// For [`MemSyncDomain::Default`]: 0 at first.
    pub default: u8,
    /// For [`MemSyncDomain::Remote`]: 1 at first.
    pub remote: u8,
}

/// A name of what the driver answered with.
fn named<N: Copy, R: PartialEq + Copy>(all: &[(N, R)], raw: R) -> Option<N> {
    all.iter().find(|&&(_, value)| value == raw).map(|&(name, _)| name)
}

impl Stream<'_> {
    /// One attribute: a value of which the field that belongs to it is initialised.
    fn attribute(&self, id: CUstreamAttrID) -> Result<CUstreamAttrValue> {
        let mut value = CUstreamAttrValue { pad: [0; 64] };
        // SAFETY: the stream is alive; writes one value to `value`, which is valid for it. No context
        // need be current (F153).
        unsafe { answer!(cuStreamGetAttribute(self.raw(), id, &raw mut value)) }.check()?;
        Ok(value)
    }

    fn set_attribute(&self, id: CUstreamAttrID, value: CUstreamAttrValue) -> Result {
        // SAFETY: the stream is alive; reads one value of `value`, whose field for this attribute is
        // initialised. No context need be current (F153).
        unsafe { answer!(cuStreamSetAttribute(self.raw(), id, &raw const value)) }.result()
    }

    /// How threads wait for it; `None` if none was set (F153): then as its context's flags say.
    ///
    /// # Errors
    /// [`UnknownValue`](Error::UnknownValue); a sticky error (F60).
    #[doc(alias = "cuStreamGetAttribute")]
    pub fn sync_policy(&self) -> Result<Option<SyncPolicy>> {
        let value = self.attribute(ffi::CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY)?;
        // SAFETY: the driver wrote the field of this attribute, a number.
        let policy = unsafe { value.syncPolicy };
        if policy.0 == u32::MAX {
            return Ok(None);
        }
        let known = named(&SyncPolicy::ALL, policy);
        known.map(Some).ok_or(Error::UnknownValue { call: GET, value: policy.0 })
    }

    /// Sets how threads wait for it.
    ///
    /// # Errors
    /// A sticky error (F60).
    #[doc(alias = "cuStreamSetAttribute")]
    pub fn set_sync_policy(&self, policy: SyncPolicy) -> Result {
        let (_, policy) = SyncPolicy::ALL[policy as usize];
        let value = CUstreamAttrValue { syncPolicy: policy };
        self.set_attribute(ffi::CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, value)
    }

    /// How the L2 cache treats its accesses; `None` if there is no range.
    ///
    /// # Errors
    /// [`UnknownValue`](Error::UnknownValue); a sticky error (F60).
    #[doc(alias = "cuStreamGetAttribute")]
    pub fn access_policy_window(&self) -> Result<Option<AccessPolicyWindow>> {
        let value = self.attribute(ffi::CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW)?;
        // SAFETY: the driver wrote the field of this attribute, of which any bytes are a value.
        let window = unsafe { value.accessPolicyWindow };
        if window.num_bytes == 0 {
            return Ok(None);
        }
        Ok(Some(AccessPolicyWindow {
            address: window.base_ptr.addr() as CUdeviceptr,
            bytes: window.num_bytes,
            hit_ratio: window.hitRatio,
            hit: AccessProperty::of(window.hitProp)?,
            miss: AccessProperty::of(window.missProp)?,
        }))
    }

    /// Sets how the L2 cache treats its accesses, for what is enqueued from here on; `None` ends that.
    ///
    /// # Errors
    /// [`InvalidArgument`](Error::InvalidArgument) for a share that is not from 0 to 1, and for misses that
    /// persist; `CUDA_ERROR_INVALID_VALUE` for more bytes than the device's windows have (F155); a sticky
    /// error (F60).
    #[doc(alias = "cuStreamSetAttribute")]
    pub fn set_access_policy_window(&self, window: Option<AccessPolicyWindow>) -> Result {
        let refused =
            |reason| Err(Error::InvalidArgument { call: name!(cuStreamSetAttribute), reason });
        let none = AccessPolicyWindow {
            address: 0,
            bytes: 0,
            hit_ratio: 0.0,
            hit: AccessProperty::Normal,
            miss: AccessProperty::Normal,
        };
        let AccessPolicyWindow { address, bytes, hit_ratio, hit, miss } = window.unwrap_or(none);
        // The driver takes what is no number (F155).
        if !(0.0..=1.0).contains(&hit_ratio) {
            return refused("the share of hits is from 0 to 1");
        }
        if miss == AccessProperty::Persisting {
            return refused("misses do not persist: make them normal or streaming");
        }
        let window = CUaccessPolicyWindow {
            base_ptr: std::ptr::without_provenance_mut(address as usize),
            num_bytes: bytes,
            hitRatio: hit_ratio,
            hitProp: hit.raw(),
            missProp: miss.raw(),
        };
        let value = CUstreamAttrValue { accessPolicyWindow: window };
        self.set_attribute(ffi::CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, value)
    }

    /// Sets the priority, as in [`stream_with_priority`](crate::PushedGuard::stream_with_priority), of
    /// what is enqueued from here on.
    ///
    /// # Errors
    /// A sticky error (F60).
    #[doc(alias = "cuStreamSetAttribute")]
    pub fn set_priority(&self, priority: i32) -> Result {
        self.set_attribute(ffi::CU_STREAM_ATTRIBUTE_PRIORITY, CUstreamAttrValue { priority })
    }

    /// The domain of what its kernels write.
    ///
    /// # Errors
    /// [`UnknownValue`](Error::UnknownValue); a sticky error (F60).
    #[doc(alias = "cuStreamGetAttribute")]
    pub fn mem_sync_domain(&self) -> Result<MemSyncDomain> {
        let value = self.attribute(ffi::CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN)?;
        // SAFETY: the driver wrote the field of this attribute, a number.
        match unsafe { value.memSyncDomain } {
            ffi::CU_LAUNCH_MEM_SYNC_DOMAIN_DEFAULT => Ok(MemSyncDomain::Default),
            ffi::CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE => Ok(MemSyncDomain::Remote),
            CUlaunchMemSyncDomain(value) => Err(Error::UnknownValue { call: GET, value }),
        }
    }

    /// Sets the domain of what its kernels write, from here on.
    ///
    /// # Errors
    /// A sticky error (F60).
    #[doc(alias = "cuStreamSetAttribute")]
    pub fn set_mem_sync_domain(&self, domain: MemSyncDomain) -> Result {
        let domain = match domain {
            MemSyncDomain::Default => ffi::CU_LAUNCH_MEM_SYNC_DOMAIN_DEFAULT,
            MemSyncDomain::Remote => ffi::CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE,
        };
        let value = CUstreamAttrValue { memSyncDomain: domain };
        self.set_attribute(ffi::CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN, value)
    }

    /// Which domains stand for the two names.
    ///
    /// # Errors
    /// A sticky error (F60).
    #[doc(alias = "cuStreamGetAttribute")]
    pub fn mem_sync_domain_map(&self) -> Result<MemSyncDomainMap> {
        let value = self.attribute(ffi::CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP)?;
        // SAFETY: the driver wrote the field of this attribute, two numbers.
        let CUlaunchMemSyncDomainMap { default_, remote } = unsafe { value.memSyncDomainMap };
        Ok(MemSyncDomainMap { default: default_, remote })
    }

    /// Sets which domains stand for the two names, from here on.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for a number that the device does not have (F154); a sticky error (F60).
    #[doc(alias = "cuStreamSetAttribute")]
    pub fn set_mem_sync_domain_map(&self, map: MemSyncDomainMap) -> Result {
        let map = CUlaunchMemSyncDomainMap { default_: map.default, remote: map.remote };
        let value = CUstreamAttrValue { memSyncDomainMap: map };
        self.set_attribute(ffi::CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, value)
    }
}

impl<'ctx> Stream<'ctx> {
    /// Takes over all attributes of another stream of the context, its priority too (F156).
    ///
    /// # Errors
    /// [`OtherContext`](Error::OtherContext); a sticky error (F60).
    #[doc(alias = "cuStreamCopyAttributes")]
    pub fn copy_attributes(&self, from: &Stream<'ctx>) -> Result {
        if self.context() != from.context() {
            return Err(Error::OtherContext { call: name!(cuStreamCopyAttributes) });
        }
        // SAFETY: both streams are alive; no context need be current (F153).
        unsafe { answer!(cuStreamCopyAttributes(self.raw(), from.raw())) }.result()
    }
}
