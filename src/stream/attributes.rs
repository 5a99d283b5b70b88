//! Attributes of streams.
#![allow(unsafe_code, reason = "calls the driver, and reads the union of its values")]

use crate::call::{answer, name};
use crate::error::{Error, Result};
use crate::memory::{AccessPolicyWindow, MemSyncDomain};
use crate::stream::Stream;
use ffi::{CUlaunchMemSyncDomainMap, CUstreamAttrID, CUstreamAttrValue, CUsynchronizationPolicy};

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

/// The number of the domain for each name. Numbers are below the device's
/// `CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemSyncDomainMap {
    /// The number for [`MemSyncDomain::Default`], initially 0.
    pub default: u8,
    /// The number for [`MemSyncDomain::Remote`], initially 1.
    pub remote: u8,
}

impl Stream<'_> {
    /// Reads one attribute, as a value whose matching field is initialised.
    #[inline]
    fn attribute(&self, id: CUstreamAttrID) -> Result<CUstreamAttrValue> {
        let mut value = CUstreamAttrValue { pad: [0; 64] };
        // SAFETY: the stream is alive; writes one value to `value`, which is valid for it. No context
        // need be current (F153).
        unsafe { answer!(cuStreamGetAttribute(self.raw(), id, &raw mut value)) }.check()?;
        Ok(value)
    }

    #[inline]
    fn set_attribute(&self, id: CUstreamAttrID, value: CUstreamAttrValue) -> Result {
        // SAFETY: the stream is alive; reads one value of `value`, whose field for this attribute is
        // initialised. No context need be current (F153).
        unsafe { answer!(cuStreamSetAttribute(self.raw(), id, &raw const value)) }.result()
    }

    /// Returns how threads wait for the stream, or `None` if no policy was set
    /// ([F153](crate::driver_facts#F153)). The flags of its context then decide.
    ///
    /// # Errors
    /// [`UnknownValue`](Error::UnknownValue); a sticky error ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuStreamGetAttribute")]
    #[inline]
    pub fn sync_policy(&self) -> Result<Option<SyncPolicy>> {
        let value = self.attribute(ffi::CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY)?;
        // SAFETY: the driver wrote the field of this attribute, a number.
        let policy = unsafe { value.syncPolicy };
        if policy.0 == u32::MAX {
            return Ok(None);
        }
        let known = SyncPolicy::ALL.into_iter().find(|&(_, raw)| raw == policy);
        let (name, _) = known.ok_or(Error::UnknownValue { call: GET, value: policy.0 })?;
        Ok(Some(name))
    }

    /// Sets how threads wait for the stream.
    ///
    /// # Errors
    /// A sticky error ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuStreamSetAttribute")]
    #[inline]
    pub fn set_sync_policy(&self, policy: SyncPolicy) -> Result {
        let (_, policy) = SyncPolicy::ALL[policy as usize];
        let value = CUstreamAttrValue { syncPolicy: policy };
        self.set_attribute(ffi::CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, value)
    }

    /// Returns how the L2 cache treats the stream's accesses, or `None` if no range is set.
    ///
    /// # Errors
    /// [`UnknownValue`](Error::UnknownValue); a sticky error ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuStreamGetAttribute")]
    #[inline]
    pub fn access_policy_window(&self) -> Result<Option<AccessPolicyWindow>> {
        let value = self.attribute(ffi::CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW)?;
        // SAFETY: the driver wrote the field of this attribute, of which any bytes are a value.
        let window = unsafe { value.accessPolicyWindow };
        AccessPolicyWindow::from_raw(GET, window)
    }

    /// Sets how the L2 cache treats the accesses of work that is enqueued later. `None` removes the range.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for more bytes than the device's windows have
    /// ([F155](crate::driver_facts#F155)); a sticky error ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuStreamSetAttribute")]
    #[inline]
    pub fn set_access_policy_window(&self, window: Option<AccessPolicyWindow>) -> Result {
        let window = window.map_or(AccessPolicyWindow::NONE, AccessPolicyWindow::raw);
        let value = CUstreamAttrValue { accessPolicyWindow: window };
        self.set_attribute(ffi::CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, value).map_err(|error| {
            error.because(|_| {
                let most = ffi::CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE;
                let most = self.context().device().attribute(most).ok()?;
                let bytes = window.num_bytes;
                (bytes > most.unsigned_abs() as usize).then(|| {
                    format!(
                        "the window has {bytes} bytes, and the device's windows have at most {most}"
                    )
                })
            })
        })
    }

    /// Sets the priority of work that is enqueued later, as in
    /// [`stream_with_priority`](crate::PushedGuard::stream_with_priority).
    ///
    /// # Errors
    /// A sticky error ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuStreamSetAttribute")]
    #[inline]
    pub fn set_priority(&self, priority: i32) -> Result {
        self.set_attribute(ffi::CU_STREAM_ATTRIBUTE_PRIORITY, CUstreamAttrValue { priority })
    }

    /// Returns the memory synchronisation domain of the stream's kernels.
    ///
    /// # Errors
    /// [`UnknownValue`](Error::UnknownValue); a sticky error ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuStreamGetAttribute")]
    #[inline]
    pub fn mem_sync_domain(&self) -> Result<MemSyncDomain> {
        let value = self.attribute(ffi::CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN)?;
        // SAFETY: the driver wrote the field of this attribute, a number.
        let domain = unsafe { value.memSyncDomain };
        MemSyncDomain::from_raw(GET, domain)
    }

    /// Sets the memory synchronisation domain of kernels that are enqueued later.
    ///
    /// # Errors
    /// A sticky error ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuStreamSetAttribute")]
    #[inline]
    pub fn set_mem_sync_domain(&self, domain: MemSyncDomain) -> Result {
        let value = CUstreamAttrValue { memSyncDomain: domain.raw() };
        self.set_attribute(ffi::CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN, value)
    }

    /// Returns the numbers of the two domains.
    ///
    /// # Errors
    /// A sticky error ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuStreamGetAttribute")]
    #[inline]
    pub fn mem_sync_domain_map(&self) -> Result<MemSyncDomainMap> {
        let value = self.attribute(ffi::CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP)?;
        // SAFETY: the driver wrote the field of this attribute, two numbers.
        let CUlaunchMemSyncDomainMap { default_, remote } = unsafe { value.memSyncDomainMap };
        Ok(MemSyncDomainMap { default: default_, remote })
    }

    /// Sets the numbers of the two domains, for work that is enqueued later.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for a number that the device does not have
    /// ([F154](crate::driver_facts#F154)); a sticky error ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuStreamSetAttribute")]
    #[inline]
    pub fn set_mem_sync_domain_map(&self, map: MemSyncDomainMap) -> Result {
        let raw = CUlaunchMemSyncDomainMap { default_: map.default, remote: map.remote };
        let value = CUstreamAttrValue { memSyncDomainMap: raw };
        self.set_attribute(ffi::CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, value).map_err(|error| {
            error.because(|_| {
                let count = self.context().device().attribute(ffi::CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT);
                let (MemSyncDomainMap { default, remote }, count) = (map, count.ok()?);
                (i32::from(default.max(remote)) >= count).then(|| {
                    format!("the map has the domains {default} and {remote}, and the device has {count}, from 0")
                })
            })
        })
    }
}

impl<'ctx> Stream<'ctx> {
    /// Copies all attributes of another stream of the same context, the priority included
    /// ([F156](crate::driver_facts#F156)).
    ///
    /// # Errors
    /// [`OtherContext`](Error::OtherContext); a sticky error ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuStreamCopyAttributes")]
    #[inline]
    pub fn copy_attributes(&self, from: &Stream<'ctx>) -> Result {
        if self.context() != from.context() {
            return Err(Error::OtherContext { call: name!(cuStreamCopyAttributes) });
        }
        // SAFETY: both streams are alive; no context need be current (F153).
        unsafe { answer!(cuStreamCopyAttributes(self.raw(), from.raw())) }.result()
    }
}
