//! The error that stays: after a fault in a kernel the process is lost for CUDA (F60, F85).

use crate::entry::Answer;
use crate::ptx::Fault;
use crate::sync;
use cuscope_sys::*;
use std::sync::RwLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// The code, 0 while there is none.
static CODE: AtomicU32 = AtomicU32::new(0);

/// Held for reading by whoever reads or changes host memory for the device, a piece at a time, and
/// for writing by whoever sets the code: once it is out, host memory stays as it is (F104).
static HOST_MEMORY: RwLock<()> = RwLock::new(());

/// The calls that work in spite of the error: what looks at the thread's stack, at devices, or at
/// nothing, and `cuCtxDestroy` (F60).
const EXEMPT: &[&str] = &[
    "cuCtxDestroy_v2",
    "cuCtxGetApiVersion",
    "cuCtxGetCurrent",
    "cuCtxGetDevice",
    "cuCtxGetFlags",
    "cuCtxGetId",
    "cuCtxPopCurrent_v2",
    "cuCtxPushCurrent_v2",
    "cuCtxSetCurrent",
    "cuDeviceGet",
    "cuDeviceGetAttribute",
    "cuDeviceGetCount",
    "cuDeviceGetName",
    "cuDeviceGetPCIBusId",
    "cuDeviceGetUuid_v2",
    "cuDevicePrimaryCtxGetState",
    "cuDevicePrimaryCtxRelease_v2",
    "cuDevicePrimaryCtxSetFlags_v2",
    "cuDeviceTotalMem_v2",
    "cuDriverGetVersion",
    "cuGetErrorName",
    "cuGetErrorString",
    "cuInit",
    "cuThreadExchangeStreamCaptureMode",
];

/// Refuses a call after a fault, unless it is exempt.
#[inline]
pub(crate) fn admit(name: &str) -> Answer {
    check().or_else(|code| if EXEMPT.contains(&name) { Ok(()) } else { Err(code) })
}

/// The code, if there was a fault.
#[inline]
pub(crate) fn check() -> Answer {
    match CODE.load(Ordering::Acquire) {
        0 => Ok(()),
        code => Err(CUresult(code)),
    }
}

/// Sets the code, unless an earlier fault did.
pub(crate) fn set(code: CUresult) {
    let _stopped = sync::write(&HOST_MEMORY);
    let _ = CODE.compare_exchange(0, code.0, Ordering::AcqRel, Ordering::Acquire);
}

/// Reads or changes host memory on behalf of the device, unless there was a fault.
pub(crate) fn with_host_memory(f: impl FnOnce()) -> Answer {
    let _running = sync::read(&HOST_MEMORY);
    check()?;
    f();
    Ok(())
}

/// The code of a fault.
pub(crate) fn code(fault: Fault) -> CUresult {
    match fault {
        Fault::IllegalAddress => CUDA_ERROR_ILLEGAL_ADDRESS,
        Fault::MisalignedAddress => CUDA_ERROR_MISALIGNED_ADDRESS,
        Fault::HardwareStackError => CUDA_ERROR_HARDWARE_STACK_ERROR,
        Fault::IllegalInstruction => CUDA_ERROR_ILLEGAL_INSTRUCTION,
        Fault::LaunchTimeout => CUDA_ERROR_LAUNCH_TIMEOUT,
        _ => CUDA_ERROR_LAUNCH_FAILED,
    }
}
