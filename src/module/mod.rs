//! Modules: loaded code of one context.

mod functions;
#[cfg(feature = "guard")]
mod guarded;
mod load;
pub(crate) mod refusals;
mod variables;

pub use crate::name::Text;
#[cfg(feature = "guard")]
pub use guarded::GuardedModule;
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

/// A module: code that is loaded in one context.
///
/// [`PushedGuard::load`](crate::PushedGuard::load) loads one, and [`function`](Self::function),
/// [`kernel`](Self::kernel) and [`variable`](Self::variable) look up its contents. Its
/// [`Function`](crate::Function)s and variables keep it loaded. Unloading waits for all work of the context
/// ([F50](crate::driver_facts#F50)) and needs no current context ([F40](crate::driver_facts#F40)).
///
/// # Examples
/// ```standalone_crate
/// use cuscope::{Context, ContextFlags, ContextStack, Device};
///
/// # fn main() -> cuscope::Result {
/// let context = Context::create(Device::get(0)?, ContextFlags::default())?;
/// let mut stack = ContextStack::current_thread()?;
/// let gpu = stack.push(&context)?;
/// let module = gpu.load_ptx(include_str!("../../examples/kernels/saxpy.ptx"))?;
/// let saxpy = module.function("saxpy")?;
/// assert!(module.function("no_such_kernel").is_err());
/// # Ok(()) }
/// ```
#[doc(alias = "CudaModule")]
pub struct Module<'ctx> {
    pub(crate) inner: Arc<ModuleInner>,
    pub(crate) _brand: Brand<'ctx>,
}
assert_impl_all!(Module<'static>: Send, Sync);

impl<'ctx> Module<'ctx> {
    #[inline]
    fn new(inner: ModuleInner) -> Self {
        Module { inner: Arc::new(inner), _brand: Brand::new() }
    }

    /// Returns the module without the lifetime of a guard.
    #[inline]
    fn unguarded(self) -> Module<'static> {
        Module { inner: self.inner, _brand: Brand::new() }
    }

    /// Returns the context.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.inner.context
    }

    /// Returns the handle, for calls of [`ffi`]. It is valid while this value or one of its functions lives. Do
    /// not unload it.
    #[must_use]
    pub fn raw(&self) -> CUmodule {
        self.inner.raw
    }

    /// Unloads the module now and returns the result. Waits for all work of the context
    /// ([F50](crate::driver_facts#F50)).
    ///
    /// # Errors
    /// `Err(self)` if a function, a variable or a graph still holds the module. The inner result is the
    /// driver's answer.
    #[doc(alias = "cuModuleUnload")]
    #[inline]
    pub fn try_unload(self) -> Result<Result, Self> {
        match Arc::try_unwrap(self.inner) {
            Ok(mut inner) => Ok(inner.unload()),
            Err(inner) => Err(Module { inner, _brand: Brand::new() }),
        }
    }
}

impl fmt::Debug for Module<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Module({:p}, {:?})", self.raw(), self.context())
    }
}
