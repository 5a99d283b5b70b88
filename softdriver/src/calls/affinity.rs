//! Execution affinity: to how many multiprocessors a context keeps.
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::entry::{self, Answer};
use crate::model::device::MULTIPROCESSORS;
use crate::model::{device, stack};
use core::ffi::c_int;
use cuscope_sys::*;

/// Refuses affinities: no context can be created with one (F115). No, or fewer, is none.
pub(crate) fn refuse(params: *const CUexecAffinityParam, count: c_int) -> Answer {
    if count <= 0 {
        return Ok(());
    }
    entry::wanted(params)?;
    Err(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY)
}

driver! {
    /// Whether contexts can be created with an affinity: never (F115).
    fn cuDeviceGetExecAffinitySupport(pi: *mut c_int, type_: CUexecAffinityType, dev: CUdevice) [
        after_fault,
    ] {
        let _unused = type_;
        entry::wanted(pi)?;
        device::device(dev)?;
        entry::write(pi, 0)
    }
    /// The affinity of the current context: all multiprocessors (F98). A green context has none to
    /// tell (F132).
    fn cuCtxGetExecAffinity(pExecAffinity: *mut CUexecAffinityParam, type_: CUexecAffinityType) [
        needs_current,
    ] {
        let current = stack::current_life()?;
        entry::wanted(pExecAffinity)?;
        if type_ != CU_EXEC_AFFINITY_TYPE_SM_COUNT {
            return Err(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY);
        }
        if current.is_green() {
            return Err(CUDA_ERROR_INVALID_CONTEXT);
        }
        let smCount = CUexecAffinitySmCount { val: MULTIPROCESSORS };
        let param = CUexecAffinityParam_v1_param { smCount };
        entry::write(pExecAffinity, CUexecAffinityParam { r#type: type_, param })
    }
}
