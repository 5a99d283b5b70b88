//! The owner of a library.
#![allow(unsafe_code, reason = "calls the driver, and says that a library may be shared")]

use super::Leases;
use crate::call::{Answer, later};
use crate::driver::capture_mode::relaxed;
use crate::driver::fork;
use crate::driver::release::{is_not_now, put_off, released};
use crate::error::Result;
use crate::image::PtxContents;
use ffi::CUlibrary;
use std::sync::Arc;

pub(crate) struct LibraryInner {
    pub(crate) raw: CUlibrary,
    /// Whether the handle is gone.
    pub(crate) unloaded: bool,
    /// The declarations of the PTX text, if the module was loaded from PTX.
    pub(crate) contents: PtxContents,
    /// Its variables that are lent.
    pub(crate) leases: Arc<Leases>,
}
// SAFETY: a library is tied to no thread and no context (F285). The handle is never changed.
unsafe impl Send for LibraryInner {}
// SAFETY: as for `Send`; look-ups are ordered by the driver.
unsafe impl Sync for LibraryInner {}

impl LibraryInner {
    /// Unloads the library, unless that has been done. If the driver refuses it only on this thread, it is done later.
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
        // SAFETY: this is the only owner of the handle, which was loaded and not unloaded, and nothing of it
        // is left, since all that is holds this value. Work that runs its code is waited for by the driver
        // (F286), no context need be current (F285), and captures do not refuse it (F287).
        Some(relaxed(unsafe { later!(cuLibraryUnload(self.raw)) }))
    }

    /// Returns the owner of what is still to unload.
    #[cold]
    #[inline]
    fn again(&self) -> LibraryInner {
        let (contents, leases) = (PtxContents::default(), Arc::default());
        LibraryInner { raw: self.raw, unloaded: false, contents, leases }
    }
}

impl Drop for LibraryInner {
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
