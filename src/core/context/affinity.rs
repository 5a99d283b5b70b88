//! Contexts that are limited to a number of multiprocessors.
#![allow(unsafe_code, reason = "calls the driver")]

use super::Context;
use crate::call::{answer, name};
use crate::context::ContextFlags;
use crate::device::Device;
use crate::error::Result;
use ffi::{
    CU_EXEC_AFFINITY_TYPE_SM_COUNT, CUexecAffinityParam, CUexecAffinityParam_v1_param,
    CUexecAffinitySmCount,
};

#[inline]
pub(crate) fn affinity(multiprocessors: u32) -> CUexecAffinityParam {
    CUexecAffinityParam {
        r#type: CU_EXEC_AFFINITY_TYPE_SM_COUNT,
        param: CUexecAffinityParam_v1_param {
            smCount: CUexecAffinitySmCount { val: multiprocessors },
        },
    }
}

impl Device {
    /// Returns whether contexts on the device can be limited to a number of multiprocessors. Some devices
    /// support it under the multi-process service (MPS).
    ///
    /// # Errors
    /// A driver error.
    #[doc(alias = "cuDeviceGetExecAffinitySupport")]
    #[inline]
    pub fn supports_exec_affinity(self) -> Result<bool> {
        let mut supported = 0;
        // SAFETY: writes one `c_int` to `supported`, which is valid for it.
        unsafe {
            answer!(cuDeviceGetExecAffinitySupport(
                &raw mut supported,
                CU_EXEC_AFFINITY_TYPE_SM_COUNT,
                self.raw(),
            ))
        }
        .check()?;
        Ok(supported != 0)
    }
}

impl Context {
    /// Creates a context whose work runs on at most `multiprocessors` multiprocessors.
    ///
    /// The driver may round the number up. For multiprocessors that belong to the context alone, see
    /// [`create_green`](Self::create_green).
    ///
    /// # Errors
    /// `CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY` without the multi-process service; the errors of
    /// [`create`](Self::create).
    #[doc(alias = "cuCtxCreate_v3")]
    #[inline]
    pub fn create_with_affinity(
        device: Device,
        flags: ContextFlags,
        multiprocessors: u32,
    ) -> Result<Context> {
        let flags = flags.checked(name!(cuCtxCreate_v3))?;
        let mut affinity = affinity(multiprocessors);
        Context::from_creation(device, |raw| {
            // SAFETY: writes one handle to `raw`, which is valid for it, and reads one affinity at
            // `affinity`; flags, device and number are checked by the driver.
            Ok(unsafe { answer!(cuCtxCreate_v3(raw, &raw mut affinity, 1, flags, device.raw())) })
        })
    }
}
