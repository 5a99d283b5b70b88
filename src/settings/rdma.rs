//! Writes of other hardware to the memory of a device.
#![allow(unsafe_code, reason = "calls the driver")]

use crate::call::{answer, name};
use crate::error::Result;
use crate::stack::PushedGuard;
use ffi::CUflushGPUDirectRDMAWritesScope;

/// Who sees the writes that [`PushedGuard::flush_rdma_writes`] waits for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum RdmaScope {
    /// The device of the context.
    Owner,
    /// Every device.
    AllDevices,
}

impl RdmaScope {
    #[inline]
    fn raw(self) -> CUflushGPUDirectRDMAWritesScope {
        match self {
            RdmaScope::Owner => ffi::CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER,
            RdmaScope::AllDevices => ffi::CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_ALL_DEVICES,
        }
    }
}

/// # Writes of other hardware
impl PushedGuard<'_> {
    /// Waits until the writes that other hardware, such as a network adapter, has made to the memory of the device are
    /// visible.
    ///
    /// The device needs it unless its attribute `CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING` says that they are
    /// visible anyway. `CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS` says whether this call does it.
    ///
    /// # Errors
    /// `CUDA_ERROR_NOT_SUPPORTED`; [`NotCurrent`](crate::Error::NotCurrent).
    #[doc(alias = "cuFlushGPUDirectRDMAWrites")]
    #[inline]
    pub fn flush_rdma_writes(&self, scope: RdmaScope) -> Result {
        self.enter(name!(cuFlushGPUDirectRDMAWrites))?;
        let target = ffi::CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX;
        // SAFETY: takes numbers; acts on the current context, which `enter` found to be the guard's.
        unsafe { answer!(cuFlushGPUDirectRDMAWrites(target, scope.raw())) }.explain(|code| {
            (code == ffi::CUDA_ERROR_NOT_SUPPORTED).then(|| {
                "the host cannot flush such writes to this device (CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS)"
                    .to_owned()
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_scope_has_the_number_of_the_driver() {
        assert_eq!(
            [RdmaScope::Owner, RdmaScope::AllDevices].map(|scope| scope.raw().0),
            [100, 200]
        );
    }
}
