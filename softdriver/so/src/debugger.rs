//! The names that a debugger looks for in the driver's library. There is nothing to debug here: the
//! functions do nothing, and the variables are zeros.
#![allow(unsafe_code, reason = "exports names")]
#![allow(non_upper_case_globals, reason = "the names are the driver's")]

use core::ffi::c_uint;
use std::sync::atomic::AtomicU64;

/// The answer of a debugger's function where there is no device to debug.
const NO_DEVICE: c_uint = 10;

macro_rules! functions {
    ($($name:ident)*) => { $(
        /// No device to debug.
        // SAFETY: only this library has the name here, as it stands in for the driver's library.
        #[unsafe(no_mangle)]
        pub(crate) extern "C" fn $name() -> c_uint {
            NO_DEVICE
        }
    )* };
}
functions! {
    cudbgApiAttach cudbgApiDetach cudbgApiInit cudbgGetAPI cudbgGetAPIVersion cudbgMain
    cudbgReportDriverApiError cudbgReportDriverInternalError
}

macro_rules! variables {
    ($($name:ident)*) => { $(
        /// Zero.
        // SAFETY: as above.
        #[unsafe(no_mangle)]
        pub(crate) static $name: [AtomicU64; 2] = [const { AtomicU64::new(0) }; 2];
    )* };
}
variables! {
    cudbgApiClientPid cudbgApiClientRevision cudbgAttachHandlerAvailable cudbgDebuggerCapabilities
    cudbgDebuggerInitialized cudbgDetachSuspendedDevicesMask cudbgEnableIntegratedMemcheck
    cudbgEnableLaunchBlocking cudbgEnablePreemptionDebugging cudbgInjectionPath cudbgIpcFlag
    cudbgReportDriverApiErrorFlags cudbgReportedDriverApiErrorCode
    cudbgReportedDriverApiErrorFuncNameAddr cudbgReportedDriverApiErrorFuncNameSize
    cudbgReportedDriverApiErrorNameAddr cudbgReportedDriverApiErrorNameSize
    cudbgReportedDriverApiErrorSource cudbgReportedDriverApiErrorStringAddr
    cudbgReportedDriverApiErrorStringSize cudbgReportedDriverInternalErrorCode
    cudbgResumeForAttachDetach cudbgRpcEnabled cudbgSessionId cudbgUseExternalDebugger
}
