//! The owner of a module.
#![allow(unsafe_code, reason = "calls the driver, and says that a module may be shared")]

use super::Leases;
use crate::call::{Answer, later};
use crate::context::Context;
use crate::driver::capture_mode::relaxed;
use crate::driver::fork;
use crate::driver::release::{is_not_now, put_off, released};
use crate::error::Result;
use crate::image::PtxContents;
use ffi::CUmodule;
use std::sync::Arc;

pub(crate) struct ModuleInner {
    pub(crate) raw: CUmodule,
    /// Whether the handle is gone.
    pub(crate) unloaded: bool,
    pub(crate) context: Context,
    /// The declarations of the PTX text, if the library was loaded from PTX.
    pub(crate) contents: PtxContents,
    /// Its variables that are lent.
    pub(crate) leases: Arc<Leases>,
    /// The objects that its kernels use, dropped once it is unloaded.
    pub(crate) used: Option<Box<dyn Send + Sync>>,
}
// SAFETY: a module is not tied to a thread: looking up and unloading need no current context and may
// happen on any thread (F38, F40). The handle is never changed.
unsafe impl Send for ModuleInner {}
// SAFETY: as for `Send`; concurrent look-ups in one module are ordered by the driver (F91).
unsafe impl Sync for ModuleInner {}

impl ModuleInner {
    /// Takes ownership of a module that was loaded and not unloaded.
    #[inline]
    pub(crate) fn new(raw: CUmodule, context: Context, contents: PtxContents) -> Self {
        ModuleInner { raw, unloaded: false, context, contents, leases: Arc::default(), used: None }
    }

    /// Unloads the module, unless that has been done. If the driver refuses it only on this thread, it is done later.
    #[inline]
    pub(crate) fn unload(&mut self) -> Result {
        let Some(answer) = self.call() else { return Ok(()) };
        if is_not_now(answer.code) {
            put_off(self.again());
        }
        answer.result()
    }

    /// Makes the call, unless that has been done.
    #[inline]
    fn call(&mut self) -> Option<Answer> {
        if std::mem::replace(&mut self.unloaded, true) {
            return None;
        }
        // SAFETY: this is the only owner of the handle, which was loaded and not unloaded, and no
        // `Function` of it is left, since each holds this value. Its context is alive. Work that runs
        // its code is waited for by the driver (F50), and captures do not refuse it (F101).
        Some(relaxed(unsafe { later!(cuModuleUnload(self.raw)) }))
    }

    /// Returns the owner of what is still to unload.
    #[cold]
    #[inline]
    fn again(&mut self) -> ModuleInner {
        ModuleInner {
            raw: self.raw,
            unloaded: false,
            context: self.context.clone(),
            contents: PtxContents::default(),
            leases: Arc::default(),
            used: self.used.take(),
        }
    }
}

impl Drop for ModuleInner {
    #[inline]
    fn drop(&mut self) {
        if fork::is_child() {
            return;
        }
        if let Some(answer) = self.call() {
            released(answer, || self.again());
        }
    }
}
