//! The driver functions about [`coredump`](crate::model::coredump).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::calls::stack;
use crate::entry::Answer;
use crate::model::context::CONTEXTS;
use crate::model::coredump::GLOBAL;
use crate::sync;
use core::ffi::c_void;
use cuscope_sys::*;

/// Refuses a setting that is none, and needs a context.
fn check(which: CUcoredumpSettings) -> Answer {
    let known =
        (CU_COREDUMP_ENABLE_ON_EXCEPTION.0..=CU_COREDUMP_GENERATION_FLAGS.0).contains(&which.0);
    if known { Ok(()) } else { Err(CUDA_ERROR_INVALID_VALUE) }
}

driver! {
    /// A setting of the current context.
    fn cuCoredumpGetAttribute(attrib: CUcoredumpSettings, value: *mut c_void, size: *mut usize) {
        check(attrib)?;
        let home = stack::current_home()?;
        sync::lock(&home.settings).coredump.get(attrib, false, value, size)
    }
    /// A setting of the process; works at any time.
    fn cuCoredumpGetAttributeGlobal(
        attrib: CUcoredumpSettings,
        value: *mut c_void,
        size: *mut usize,
    ) [always, after_fault] {
        sync::lock(&GLOBAL).get(attrib, true, value, size)
    }
    /// Changes a setting of the current context.
    fn cuCoredumpSetAttribute(attrib: CUcoredumpSettings, value: *mut c_void, size: *mut usize) {
        check(attrib)?;
        let home = stack::current_home()?;
        sync::lock(&home.settings).coredump.set(attrib, false, value, size)
    }
    /// Changes a setting of the process, for contexts created from then on. The name of the pipe is
    /// settled once it can be used in a context.
    fn cuCoredumpSetAttributeGlobal(
        attrib: CUcoredumpSettings,
        value: *mut c_void,
        size: *mut usize,
    ) [always, after_fault] {
        let contexts = CONTEXTS.count(|_| true) > 0;
        let mut settings = sync::lock(&GLOBAL);
        if attrib == CU_COREDUMP_PIPE && contexts && settings.user_trigger {
            return Err(CUDA_ERROR_NOT_SUPPORTED);
        }
        settings.set(attrib, true, value, size)
    }
}
