//! The attributes of streams. They are kept and told; work here does not look at them.
#![allow(unsafe_code, reason = "the union of the values")]

use crate::entry::{self, Answer};
use crate::model::priority;
use core::ffi::c_int;
use core::mem::offset_of;
use cuscope_sys::*;

/// Bytes of the greatest window.
pub(crate) const MAX_WINDOW: usize = 128 << 20;
/// Domains of memory synchronisation.
pub(crate) const DOMAINS: u8 = 4;

/// The attributes of a stream.
#[derive(Clone, Copy)]
pub(crate) struct Attributes {
    window: CUaccessPolicyWindow,
    /// Of a stream to which none was given, no policy (F153).
    policy: CUsynchronizationPolicy,
    pub(crate) priority: c_int,
    map: CUlaunchMemSyncDomainMap,
    domain: CUlaunchMemSyncDomain,
}

// SAFETY: the pointer in the window is a number here.
unsafe impl Send for Attributes {}

impl Default for Attributes {
    fn default() -> Self {
        Attributes {
            window: CUaccessPolicyWindow {
                base_ptr: std::ptr::null_mut(),
                num_bytes: 0,
                hitRatio: 0.0,
                hitProp: CU_ACCESS_PROPERTY_NORMAL,
                missProp: CU_ACCESS_PROPERTY_NORMAL,
            },
            policy: CUsynchronizationPolicy(u32::MAX),
            priority: 0,
            map: CUlaunchMemSyncDomainMap { default_: 0, remote: 1 },
            domain: CU_LAUNCH_MEM_SYNC_DOMAIN_DEFAULT,
        }
    }
}

impl Attributes {
    /// Writes the bytes of one attribute, and no others (F153).
    pub(crate) fn tell(&self, id: CUstreamAttrID, to: *mut CUstreamAttrValue) -> Answer {
        match id {
            CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW => entry::write(to.cast(), self.window),
            CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY => entry::write(to.cast(), self.policy),
            CU_STREAM_ATTRIBUTE_PRIORITY => entry::write(to.cast(), self.priority),
            CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP => entry::write(to.cast(), self.map),
            CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN => entry::write(to.cast(), self.domain),
            _ => Err(CUDA_ERROR_INVALID_VALUE),
        }
    }

    /// Takes over one attribute, if its value is one (F154, F155).
    pub(crate) fn take(&mut self, id: CUstreamAttrID, from: *const CUstreamAttrValue) -> Answer {
        let good = match id {
            CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW => {
                let new: CUaccessPolicyWindow = entry::read(from.cast())?;
                // Not a number is neither.
                let ratio = !(new.hitRatio < 0.0 || new.hitRatio > 1.0);
                let good = ratio
                    && new.num_bytes <= MAX_WINDOW
                    && new.base_ptr.addr().checked_add(new.num_bytes).is_some()
                    && new.missProp != CU_ACCESS_PROPERTY_PERSISTING;
                replace_if(good, &mut self.window, new)
            }
            CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY => {
                let new: CUsynchronizationPolicy = entry::read(from.cast())?;
                replace_if((1..=4).contains(&new.0), &mut self.policy, new)
            }
            CU_STREAM_ATTRIBUTE_PRIORITY => {
                let new: c_int = entry::read(from.cast())?;
                replace_if(true, &mut self.priority, priority::clamped(new))
            }
            CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP => {
                let new: CUlaunchMemSyncDomainMap = entry::read(from.cast())?;
                let good = new.default_ < DOMAINS && new.remote < DOMAINS;
                replace_if(good, &mut self.map, new)
            }
            CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN => {
                let new: CUlaunchMemSyncDomain = entry::read(from.cast())?;
                replace_if(new.0 <= 1, &mut self.domain, new)
            }
            _ => false,
        };
        if good { Ok(()) } else { Err(CUDA_ERROR_INVALID_VALUE) }
    }
}

fn replace_if<T>(good: bool, old: &mut T, new: T) -> bool {
    if good {
        *old = new;
    }
    good
}

// Every value lies at the start of the union.
const _: () = assert!(
    offset_of!(CUstreamAttrValue, accessPolicyWindow) == 0
        && offset_of!(CUstreamAttrValue, syncPolicy) == 0
        && offset_of!(CUstreamAttrValue, priority) == 0
        && offset_of!(CUstreamAttrValue, memSyncDomainMap) == 0
        && offset_of!(CUstreamAttrValue, memSyncDomain) == 0
);
