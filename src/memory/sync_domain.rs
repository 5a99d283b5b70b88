//! Memory synchronisation domains, of launches and of streams.

use crate::error::{Error, Result};
use ffi::CUlaunchMemSyncDomain;

/// The domain of a kernel's writes.
///
/// When the device makes memory visible, as at a fence, it does not wait for the writes of kernels in another
/// domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
#[doc(alias = "CUlaunchMemSyncDomain")]
pub enum MemSyncDomain {
    /// For writes that the device itself uses.
    #[default]
    Default,
    /// For writes that other devices use.
    Remote,
}

impl MemSyncDomain {
    #[inline]
    pub(crate) fn raw(self) -> CUlaunchMemSyncDomain {
        match self {
            MemSyncDomain::Default => ffi::CU_LAUNCH_MEM_SYNC_DOMAIN_DEFAULT,
            MemSyncDomain::Remote => ffi::CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE,
        }
    }

    /// Returns the domain that `call` reported.
    #[inline]
    pub(crate) fn from_raw(call: &'static str, raw: CUlaunchMemSyncDomain) -> Result<Self> {
        match raw {
            ffi::CU_LAUNCH_MEM_SYNC_DOMAIN_DEFAULT => Ok(MemSyncDomain::Default),
            ffi::CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE => Ok(MemSyncDomain::Remote),
            CUlaunchMemSyncDomain(value) => Err(Error::UnknownValue { call, value }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_domain_has_the_number_of_the_driver() {
        let domains = [MemSyncDomain::Default, MemSyncDomain::Remote];
        assert_eq!(domains.map(|domain| domain.raw().0), [0, 1]);
        let back = |domain: MemSyncDomain| MemSyncDomain::from_raw("call", domain.raw());
        assert_eq!(domains.map(back), domains.map(Ok));
    }
}
