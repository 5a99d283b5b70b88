//! The driver functions about [`driver`](crate::model::driver).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::entry::Answer;
use crate::environment::Environment;
use crate::model::coredump;
use crate::model::device::{DEVICES, Device};
#[cfg(unix)]
use crate::model::driver::after_fork;
use crate::model::driver::{READY, end_at_exit, ready};
use crate::{check, entry, faults, race, report, schedule, summary, trace, visible};
use core::ffi::{CStr, c_int, c_uint};
use cuscope_sys::*;
use std::ffi::CString;
use std::sync::OnceLock;
use std::sync::atomic::Ordering;

/// The version of CUDA that this driver answers as.
pub(crate) const VERSION: c_int = 13000;

/// The answer to an environment that makes no sense.
pub(crate) const WRONG_ENVIRONMENT: CUresult = CUDA_ERROR_OPERATING_SYSTEM;

/// The settings of the environment, or the description of [`WRONG_ENVIRONMENT`].
static READ: OnceLock<Result<Environment, CString>> = OnceLock::new();

/// Returns the settings of the environment; if they make no sense, it says so once and cuInit refuses.
fn environment() -> Answer<&'static Environment> {
    let read = READ.get_or_init(|| {
        Environment::read().map_err(|wrong| {
            for sentence in &wrong {
                eprintln!("cuscope-softdriver: {sentence}; cuInit refuses");
            }
            let text = format!("the software driver does not begin: {}", wrong.join("; "));
            CString::new(text.replace('\0', " ")).unwrap_or_default()
        })
    });
    read.as_ref().map_err(|_| WRONG_ENVIRONMENT)
}

/// Why cuInit refused the environment, if it did.
pub(crate) fn why_not_begun() -> Option<&'static CStr> {
    READ.get()?.as_ref().err().map(CString::as_c_str)
}

/// Begins what the environment asks for.
fn begin(environment: &Environment) {
    if let Some(plan) = &environment.faults {
        faults::install(plan.clone());
    }
    race::begin();
    if let Some(seed) = environment.seed {
        race::print_reports();
        schedule::seed(seed);
    }
    if let Some(path) = &environment.trace {
        trace::begin(path);
    }
    if environment.check {
        check::begin();
    }
    check::leave_out(environment.left_out);
    if let Some(file) = &environment.summary {
        summary::begin(file.as_deref());
    }
    if environment.report {
        report::at_exit();
    }
}

driver! {
    /// Initialises the driver; twice is harmless (F2).
    fn cuInit(Flags: c_uint) [starts, host_fn, after_fault] {
        if Flags != 0 {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        if ready() {
            return Ok(());
        }
        let environment = environment()?;
        let list = std::env::var_os("CUDA_VISIBLE_DEVICES");
        let list = list.as_ref().map(|list| list.to_string_lossy());
        let visible = visible::devices(environment.devices, list.as_deref())?;
        DEVICES.get_or_init(|| {
            // SAFETY: the handler only stores to two atomics, which is safe in a forked child.
            #[cfg(unix)]
            let _ = unsafe { libc::pthread_atfork(None, None, Some(after_fork)) };
            begin(environment);
            end_at_exit();
            coredump::begin();
            visible.iter().enumerate().map(|(i, &number)| Device::new(i, number, environment.lowered.clone())).collect()
        });
        READY.store(true, Ordering::Release);
        Ok(())
    }
    /// The version of CUDA; works before `cuInit`.
    fn cuDriverGetVersion(driverVersion: *mut c_int) [always, after_fault] {
        entry::write(driverVersion, VERSION)
    }
}
