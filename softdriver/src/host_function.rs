//! Functions of the host that streams call, in which driver calls are refused (F23).

use crate::domain;
use crate::entry::Answer;
use cuscope_sys::CUDA_ERROR_NOT_PERMITTED;
use std::cell::Cell;

thread_local! {
    /// Whether this thread is running a function for `cuLaunchHostFunc` (F23).
    static RUNNING: Cell<bool> = const { Cell::new(false) };
}

/// Runs `f` as a host function of a stream: driver calls in it are refused (F23).
pub(crate) fn run<R>(f: impl FnOnce() -> R) -> R {
    struct Reset(bool);
    impl Drop for Reset {
        fn drop(&mut self) {
            RUNNING.set(self.0);
        }
    }
    let _reset = Reset(RUNNING.replace(true));
    domain::off_device(f)
}

/// Refuses what is not allowed in host functions, for bodies that look at arguments before.
pub(crate) fn refuse() -> Answer {
    if running() { Err(CUDA_ERROR_NOT_PERMITTED) } else { Ok(()) }
}

/// Whether the thread is in a host function, where default streams are refused (F23).
pub(crate) fn running() -> bool {
    RUNNING.get()
}
