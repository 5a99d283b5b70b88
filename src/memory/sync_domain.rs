//! Domains of memory synchronisation: of a launch, and of a stream.

use crate::error::{Error, Result};
use ffi::CUlaunchMemSyncDomain;

/// What the writes of a kernel are for.
///
/// Where the device makes memory visible, as at a fence, it does not wait for the writes of kernels in another domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
#[doc(alias = "CUlaunchMemSyncDomain")]
pub enum MemSyncDomain {
    /// The device's own use.
    #[default]
    Default,
    /// Other devices.
    Remote,
}

impl MemSyncDomain {
    pub(crate) fn raw(self) -> CUlaunchMemSyncDomain {
        match self {
            MemSyncDomain::Default => ffi::CU_LAUNCH_MEM_SYNC_DOMAIN_DEFAULT,
            MemSyncDomain::Remote => ffi::CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE,
        }
    }

    /// What `call` reported.
    pub(crate) fn from_raw(call: &'static str, raw: CUlaunchMemSyncDomain) -> Result<Self> {
        match raw {
            ffi::CU_LAUNCH_MEM_SYNC_DOMAIN_DEFAULT => Ok(MemSyncDomain::Default),
            ffi::CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE => Ok(MemSyncDomain::Remote),
            CUlaunchMemSyncDomain(value) => Err(Error::UnknownValue { call, value }),
        }
    }
}
