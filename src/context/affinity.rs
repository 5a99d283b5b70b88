//! Contexts that are limited to a number of multiprocessors.
#![allow(unsafe_code, reason = "calls the driver, and reads a union that it wrote")]

use super::Context;
use crate::call::{answer, name};
use crate::{ContextFlags, Device, PushedGuard, Result};
use ffi::{
    CU_EXEC_AFFINITY_TYPE_SM_COUNT, CUexecAffinityParam, CUexecAffinityParam_v1_param,
    CUexecAffinitySmCount,
};

fn affinity(multiprocessors: u32) -> CUexecAffinityParam {
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

/// # Execution affinity
impl PushedGuard<'_> {
    /// Returns the number of multiprocessors that the context's work may run on.
    ///
    /// # Errors
    /// [`NotCurrent`](crate::Error::NotCurrent); `CUDA_ERROR_INVALID_CONTEXT` for a green context (F132). For
    /// that, see [`sm_resource`](Context::sm_resource).
    #[doc(alias = "cuCtxGetExecAffinity")]
    pub fn exec_affinity(&self) -> Result<u32> {
        self.enter(name!(cuCtxGetExecAffinity))?;
        let mut affinity = affinity(0);
        // SAFETY: writes one affinity to `affinity`, which is valid for it; acts on the current
        // context, which `enter` found to be the guard's.
        unsafe { answer!(cuCtxGetExecAffinity(&raw mut affinity, CU_EXEC_AFFINITY_TYPE_SM_COUNT)) }
            .check()?;
        // SAFETY: the union has one field, which holds a plain number.
        Ok(unsafe { affinity.param.smCount }.val)
    }
}
