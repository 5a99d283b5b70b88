//! The functions of the program that are told of errors.

use crate::machine::{Machine, Runs, apart, called_and_may_panic, wrong};
use crate::program::HookOp;
use crate::seen::Seen;
use cuscope::{
    diagnostics::{DriverLogHook, LogLevel, on_driver_log},
    on_release_error,
};

/// Codes that tell of a call with a handle that is none, or without a context.
const NEVER: [&str; 3] =
    ["CUDA_ERROR_CONTEXT_IS_DESTROYED", "CUDA_ERROR_INVALID_HANDLE", "CUDA_ERROR_INVALID_CONTEXT"];

fn logged(_: LogLevel, message: &str) {
    // The crate looks whether anything is left to pop by popping.
    if NEVER.iter().any(|code| message.contains(code)) && !message.contains("cuCtxPopCurrent") {
        wrong(|| message.to_owned());
    }
    apart(|| called_and_may_panic(Seen::InLogHook));
}

pub(crate) fn log_hook() -> Option<DriverLogHook> {
    on_driver_log(logged).ok()
}

/// The hook that every program begins with.
pub(crate) fn restore() {
    on_release_error(|_| called_and_may_panic(Seen::InReleaseHook));
}

pub(crate) fn step(m: &Machine, op: HookOp) {
    let owned = || Runs { seen: Seen::InOwned, panics: false };
    match op {
        HookOp::Release => {
            let owned = owned();
            on_release_error(move |_| {
                let _owned = &owned;
                called_and_may_panic(Seen::InReleaseHook);
            });
        }
        HookOp::Log => {
            let owned = owned();
            let hook = on_driver_log(move |level, message| {
                let _owned = &owned;
                logged(level, message);
            });
            let Ok(hook) = hook else { return };
            m.logs.borrow_mut().push(hook);
        }
        HookOp::EndLog => {
            let hook = m.logs.borrow_mut().pop();
            drop(hook);
        }
    }
}
