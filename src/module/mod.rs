//! Modules: loaded code of one context.

mod functions;
mod load;
mod variables;

pub use load::{Loaded, LoadingMode};
pub(crate) use variables::lend;

use crate::brand::Brand;
use crate::context::Context;
use crate::error::Result;
use crate::owned::ModuleInner;
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
