//! The error that stays: after a fault in a kernel the process is lost for CUDA (F60, F85). Work of contexts
//! without a fault goes on all the same: see [`domain`](crate::domain).

use crate::entry::Answer;
use cuscope_ptx::run::Fault;
use cuscope_sys::*;
use std::sync::atomic::{AtomicU32, Ordering};

/// The code of a fault, 0 while there is none. From then on nothing is waited for any more.
static CODE: AtomicU32 = AtomicU32::new(0);

/// The same once a call has given it: the next one that waits for the work, or looks at it. From
/// then on nearly every call gives it.
static SHOWN: AtomicU32 = AtomicU32::new(0);

/// The code, if there was a fault; the caller gives it.
#[inline]
pub(crate) fn check() -> Answer {
    match CODE.load(Ordering::Acquire) {
        0 => Ok(()),
        code => {
            SHOWN.store(code, Ordering::Release);
            Err(CUresult(code))
        }
    }
}

/// Has the calls from now on give the code, if there was a fault; this one does not (F108).
pub(crate) fn find_out() {
    let _for_later = check();
}

/// The code, if a call has given it; for calls that look at their arguments before.
#[inline]
pub(crate) fn check_shown() -> Answer {
    match SHOWN.load(Ordering::Acquire) {
        0 => Ok(()),
        code => Err(CUresult(code)),
    }
}

/// The same for what a call looked for, which counts first if it is not there (F333).
pub(crate) fn check_found<T>(found: Answer<T>) -> Answer<T> {
    let found = found?;
    check_shown()?;
    Ok(found)
}

/// Whether there was a fault.
#[inline]
pub(crate) fn faulted() -> bool {
    CODE.load(Ordering::Acquire) != 0
}

/// Sets the code, unless an earlier fault did.
pub(crate) fn set(code: CUresult) {
    let _ = CODE.compare_exchange(0, code.0, Ordering::AcqRel, Ordering::Acquire);
}

/// The code of a fault.
pub(crate) fn code(fault: Fault) -> CUresult {
    match fault {
        Fault::IllegalAddress => CUDA_ERROR_ILLEGAL_ADDRESS,
        Fault::MisalignedAddress => CUDA_ERROR_MISALIGNED_ADDRESS,
        Fault::IllegalInstruction => CUDA_ERROR_ILLEGAL_INSTRUCTION,
        Fault::InvalidPc => CUDA_ERROR_INVALID_PC,
        Fault::Assert => CUDA_ERROR_ASSERT,
        Fault::LaunchTimeout => CUDA_ERROR_LAUNCH_TIMEOUT,
        _ => CUDA_ERROR_LAUNCH_FAILED,
    }
}
