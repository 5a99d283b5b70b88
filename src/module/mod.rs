//! Modules: loaded code of one context.
#![allow(unsafe_code, reason = "calls the driver, and says that a module may be shared")]

mod functions;
mod load;
mod variables;

pub use load::{Loaded, LoadingMode};
pub(crate) use variables::{Lease, Leases, lend};

use crate::Context;
use crate::Result;
use crate::brand::Brand;
use crate::call::{Answer, later, name};
use crate::capture_mode::relaxed;
use crate::error::release;
use crate::kernel::PtxEntry;
use ffi::CUmodule;
use static_assertions::assert_impl_all;
use std::fmt;
use std::sync::Arc;

/// Loaded code of one context. Its [`Function`](crate::Function)s and variables keep it loaded.
///
/// Unloading waits for all work of the context (F50) and needs no current context (F40).
pub struct Module<'ctx> {
    pub(crate) inner: Arc<ModuleInner>,
    pub(crate) _brand: Brand<'ctx>,
}
assert_impl_all!(Module<'static>: Send, Sync);

pub(crate) struct ModuleInner {
    raw: CUmodule,
    /// Whether the handle is no more.
    unloaded: bool,
    pub(crate) context: Context,
    /// What the PTX text said of its kernels, if it was PTX.
    entries: Vec<PtxEntry>,
    /// Its variables that are lent.
    leases: Arc<Leases>,
}
// SAFETY: a module is not tied to a thread: looking up and unloading need no current context and may
// happen on any thread (F38, F40). The handle is never changed.
unsafe impl Send for ModuleInner {}
// SAFETY: as for `Send`; concurrent look-ups in one module are ordered by the driver (F91).
unsafe impl Sync for ModuleInner {}

impl ModuleInner {
    /// What was loaded, and not unloaded, is owned from here on.
    fn new(raw: CUmodule, context: Context, entries: Vec<PtxEntry>) -> Self {
        ModuleInner { raw, unloaded: false, context, entries, leases: Arc::default() }
    }

    /// Unloads, if that was not done.
    fn unload(&mut self) -> Answer {
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
    fn drop(&mut self) {
        if !self.unloaded {
            release(|| self.unload());
        }
    }
}

impl<'ctx> Module<'ctx> {
    fn new(inner: ModuleInner) -> Self {
        Module { inner: Arc::new(inner), _brand: Brand::new() }
    }

    /// The context.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.inner.context
    }

    /// The handle, for calls of [`ffi`]. It is valid while this value or a function of it lives; do
    /// not unload it.
    #[must_use]
    pub fn raw(&self) -> CUmodule {
        self.inner.raw
    }

    /// Unloads now and tells the result, or gives the module back if a function, a variable or a graph of it
    /// still holds it. Waits for all work of the context (F50).
    ///
    /// # Errors
    /// `Err(self)` if something else holds it; inside, what the driver answered.
    #[doc(alias = "cuModuleUnload")]
    pub fn try_unload(self) -> Result<Result, Self> {
        match Arc::try_unwrap(self.inner) {
            Ok(mut inner) => Ok(inner.unload().result()),
            Err(inner) => Err(Module { inner, _brand: Brand::new() }),
        }
    }
}

impl fmt::Debug for Module<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Module({:p}, {:?})", self.raw(), self.context())
    }
}
