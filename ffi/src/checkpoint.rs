//! Checkpoints: putting the GPU side of a process aside and bringing it back.

use crate::types::*;
use core::ffi::c_int;

/// Hands the functions of this group that CUDA 12.0 does not have to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! checkpoint_newer_functions { ($with:path) => { $with! {
    /// The thread of a process that does the work of a restore.
    12080 fn cuCheckpointProcessGetRestoreThreadId(pid: c_int, tid: *mut c_int) -> CUresult;
    /// Whether a process runs, is locked, is checkpointed or has failed.
    12080 fn cuCheckpointProcessGetState(pid: c_int, state: *mut CUprocessState) -> CUresult;
    /// Stops further calls of a process to the driver and waits for its work.
    12080 fn cuCheckpointProcessLock(pid: c_int, args: *mut CUcheckpointLockArgs) -> CUresult;
    /// Moves the memory of a locked process to the host and lets go of the devices.
    12080 fn cuCheckpointProcessCheckpoint(pid: c_int, args: *mut CUcheckpointCheckpointArgs) -> CUresult;
    /// Brings a checkpointed process back to the devices; it stays locked.
    12080 fn cuCheckpointProcessRestore(pid: c_int, args: *mut CUcheckpointRestoreArgs) -> CUresult;
    /// Ends a checkpoint or restore whose memory the caller copies to storage of its own.
    13040 fn cuCheckpointOperationComplete(handle: CUcheckpointOperationHandle) -> CUresult;
    /// Lets the calls of a locked process go on.
    12080 fn cuCheckpointProcessUnlock(pid: c_int, args: *mut CUcheckpointUnlockArgs) -> CUresult;
} } }
checkpoint_newer_functions!(lookup);
