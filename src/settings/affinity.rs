//! The multiprocessors that the work of a guard's context may run on.
#![allow(unsafe_code, reason = "calls the driver, and reads a union that it wrote")]

use crate::call::{answer, name};
use crate::context::ContextKind;
use crate::context::affinity::affinity;
use crate::error::Result;
use crate::stack::PushedGuard;
use ffi::CU_EXEC_AFFINITY_TYPE_SM_COUNT;

/// # Execution affinity
impl PushedGuard<'_> {
    /// Returns the number of multiprocessors that the context's work may run on.
    ///
    /// # Errors
    /// [`NotCurrent`](crate::Error::NotCurrent); `CUDA_ERROR_INVALID_CONTEXT` for a green context
    /// ([F132](crate::driver_facts#F132)). For that, see [`sm_resource`](crate::Context::sm_resource).
    #[doc(alias = "cuCtxGetExecAffinity")]
    #[inline]
    pub fn exec_affinity(&self) -> Result<u32> {
        self.enter(name!(cuCtxGetExecAffinity))?;
        let mut affinity = affinity(0);
        // SAFETY: writes one affinity to `affinity`, which is valid for it; acts on the current
        // context, which `enter` found to be the guard's.
        unsafe { answer!(cuCtxGetExecAffinity(&raw mut affinity, CU_EXEC_AFFINITY_TYPE_SM_COUNT)) }
            .explain(|code| {
                (code == ffi::CUDA_ERROR_INVALID_CONTEXT
                    && self.context().kind() == ContextKind::Green)
                    .then(|| "a green context has no affinity: ask its `sm_resource`".to_owned())
            })?;
        // SAFETY: the union has one field, which holds a plain number.
        Ok(unsafe { affinity.param.smCount }.val)
    }
}
