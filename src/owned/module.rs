//! What owns a module.
#![allow(unsafe_code, reason = "calls the driver, and says that a module may be shared")]

use super::Leases;
use crate::call::{Answer, later, name};
use crate::context::Context;
use crate::driver::capture_mode::relaxed;
use crate::driver::release::release;
use crate::image::PtxEntry;
use ffi::CUmodule;
use std::sync::Arc;

pub(crate) struct ModuleInner {
    pub(crate) raw: CUmodule,
    /// Whether the handle is gone.
    pub(crate) unloaded: bool,
    pub(crate) context: Context,
    /// The kernels that the PTX text declares, if the library was loaded from PTX.
    pub(crate) entries: Vec<PtxEntry>,
    /// Its variables that are lent.
    pub(crate) leases: Arc<Leases>,
}
// SAFETY: a module is not tied to a thread: looking up and unloading need no current context and may
// happen on any thread (F38, F40). The handle is never changed.
unsafe impl Send for ModuleInner {}
// SAFETY: as for `Send`; concurrent look-ups in one module are ordered by the driver (F91).
unsafe impl Sync for ModuleInner {}

impl ModuleInner {
    /// Takes ownership of a module that was loaded and not unloaded.
    #[inline]
    pub(crate) fn new(raw: CUmodule, context: Context, entries: Vec<PtxEntry>) -> Self {
        ModuleInner { raw, unloaded: false, context, entries, leases: Arc::default() }
    }

    /// Unloads the library, unless that has been done.
    #[inline]
    pub(crate) fn unload(&mut self) -> Answer {
        if std::mem::replace(&mut self.unloaded, true) {
            return Answer::new(name!(cuModuleUnload), ffi::CUDA_SUCCESS);
        }
        // SAFETY: this is the only owner of the handle, which was loaded and not unloaded, and no
        // `Function` of it is left, since each holds this value. Its context is alive. Work that runs
        // its code is waited for by the driver (F50), and captures do not refuse it (F101).
        relaxed(unsafe { later!(cuModuleUnload(self.raw)) })
    }
}

impl Drop for ModuleInner {
    #[inline]
    fn drop(&mut self) {
        if !self.unloaded {
            release(|| self.unload());
        }
    }
}
