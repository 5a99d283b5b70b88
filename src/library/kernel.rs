//! Kernels of libraries.
#![allow(unsafe_code, reason = "calls the driver, and says that a kernel may be shared")]

use super::{Library, LibraryInner};
use crate::call::{answer, name};
use crate::device::{Device, no_attribute};
use crate::error::{Error, Result};
use crate::function::{self, Carveout, Function, FunctionAttribute};
use crate::kernel::{Kernel, Signature};
use crate::module::refusals::Names;
use crate::name::Text;
use crate::owned::Owner;
use crate::settings::CacheConfig;
use crate::stack::PushedGuard;
use ffi::CUkernel;
use static_assertions::assert_impl_all;
use std::ffi::CStr;
use std::sync::Arc;
use std::{fmt, ptr};

const SET: &str = name!(cuKernelSetAttribute);

/// A kernel of a [`Library`], which belongs to no context.
///
/// [`function`](Self::function) returns the kernel in the context of a guard. It keeps its library loaded, and
/// is cheap to clone.
#[derive(Clone)]
pub struct LibraryKernel {
    raw: CUkernel,
    library: Arc<LibraryInner>,
}
assert_impl_all!(LibraryKernel: Send, Sync);
// SAFETY: a kernel is a part of its library and, like it, tied to no thread.
unsafe impl Send for LibraryKernel {}
// SAFETY: as for `Send`; the handle is only read.
unsafe impl Sync for LibraryKernel {}

impl Library {
    /// Returns a kernel by name.
    ///
    /// # Errors
    /// `CUDA_ERROR_NOT_FOUND` if there is no such kernel;
    /// [`InvalidArgument`](crate::Error::InvalidArgument) for a name that contains a NUL.
    #[doc(alias = "cuLibraryGetKernel")]
    pub fn kernel(&self, name: impl Text) -> Result<LibraryKernel> {
        let name = name.with_nul(name!(cuLibraryGetKernel))?;
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for one handle, the library is loaded, `name` ends in NUL; no context need be
        // current (F285).
        unsafe { answer!(cuLibraryGetKernel(&raw mut raw, self.raw(), name.as_ptr())) }
            .explain(|_| Some(self.names().no_kernel(&name)))?;
        Ok(LibraryKernel { raw, library: self.inner.clone() })
    }

    /// Returns the names of its contents, for messages.
    #[cold]
    pub(super) fn names(&self) -> Names {
        let kernels = self.kernels().and_then(|all| all.iter().map(LibraryKernel::name).collect());
        Names::new("the library", kernels, &self.inner.contents)
    }

    /// Returns all kernels, in the driver's order.
    ///
    /// # Errors
    /// [`NeedsDriver`](crate::Error::NeedsDriver) before CUDA 12.4.
    #[doc(alias = "cuLibraryGetKernelCount")]
    #[doc(alias = "cuLibraryEnumerateKernels")]
    #[inline]
    pub fn kernels(&self) -> Result<Vec<LibraryKernel>> {
        let (count, enumerate) =
            (ffi::cuLibraryGetKernelCount()?, ffi::cuLibraryEnumerateKernels()?);
        let mut len = 0;
        // SAFETY: writes one number to `len`, which is valid for it; the library is loaded.
        unsafe { answer!(cuLibraryGetKernelCount = count(&raw mut len, self.raw())) }.check()?;
        let mut raw = vec![ptr::null_mut(); len as usize];
        if len != 0 {
            // SAFETY: as above; writes at most `len` handles, for which there is room.
            unsafe {
                answer!(cuLibraryEnumerateKernels = enumerate(raw.as_mut_ptr(), len, self.raw()))
            }
            .check()?;
        }
        let of = |raw| LibraryKernel { raw, library: self.inner.clone() };
        Ok(raw.into_iter().map(of).collect())
    }
}

impl LibraryKernel {
    /// Returns the handle, for calls of [`ffi`]. It is valid while this value lives.
    #[must_use]
    pub fn raw(&self) -> CUkernel {
        self.raw
    }

    /// Returns the library.
    #[must_use]
    #[doc(alias = "cuKernelGetLibrary")]
    #[inline]
    pub fn library(&self) -> Library {
        Library { inner: self.library.clone() }
    }

    /// Returns the kernel in the context of a guard, where you can launch it.
    ///
    /// Loads the library in that context first, which waits for all work of the context
    /// ([F286](crate::driver_facts#F286)).
    ///
    /// # Errors
    /// [`NotCurrent`](crate::Error::NotCurrent); a driver error.
    #[doc(alias = "cuKernelGetFunction")]
    #[inline]
    pub fn function<'ctx>(&self, gpu: &PushedGuard<'ctx>) -> Result<Function<'ctx>> {
        gpu.enter(name!(cuKernelGetFunction))?;
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for one handle, the kernel's library is loaded; acts on the current context,
        // which `enter` found to be the guard's.
        unsafe { answer!(cuKernelGetFunction(&raw mut raw, self.raw)) }.check()?;
        Ok(Function::new(raw, Owner::Library(self.library.clone(), gpu.context().clone())))
    }

    /// Returns the kernel in the context of a guard and compares its parameters with a [`Signature`], as
    /// [`Module::kernel`](crate::Module::kernel) does.
    ///
    /// # Errors
    /// The errors of [`function`](Self::function); [`Error::Signature`](crate::Error::Signature).
    #[doc(alias = "cuKernelGetParamInfo")]
    pub fn typed<S: Signature>(&self, gpu: &PushedGuard<'_>) -> Result<Kernel<S>> {
        let function = self.function(gpu)?;
        let name = match self.name() {
            // Such a driver cannot report parameters either.
            Err(Error::NeedsDriver { .. }) => String::new(),
            name => name?,
        };
        let entry = self.library.contents.kernel(&name);
        Kernel::new(function, &name, entry)
    }

    /// Returns the name, mangled if it is a C++ name.
    ///
    /// # Errors
    /// [`NeedsDriver`](crate::Error::NeedsDriver) before CUDA 12.3.
    #[doc(alias = "cuKernelGetName")]
    #[inline]
    pub fn name(&self) -> Result<String> {
        let get = ffi::cuKernelGetName()?;
        let mut name = ptr::null();
        // SAFETY: writes one pointer to `name`, which is valid for it; the kernel is alive.
        unsafe { answer!(cuKernelGetName = get(&raw mut name, self.raw)) }.check()?;
        // SAFETY: on success a string that ends in NUL and lives as long as the library.
        Ok(unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned())
    }

    /// Returns one attribute on a device.
    ///
    /// # Errors
    /// The errors of [`Function::attribute`].
    #[doc(alias = "cuKernelGetAttribute")]
    #[inline]
    pub fn attribute(&self, device: Device, attribute: FunctionAttribute) -> Result<i32> {
        function::known(name!(cuKernelGetAttribute), attribute)?;
        let mut value = 0;
        // SAFETY: writes one `c_int` to `value`, which is valid for it; the kernel is alive; the attribute is one
        // (F292); no context need be current (F285).
        unsafe { answer!(cuKernelGetAttribute(&raw mut value, attribute, self.raw, device.raw())) }
            .explain(|_| Some(no_attribute("function", attribute.0)))?;
        Ok(value)
    }

    /// Sets one attribute on a device.
    ///
    /// The value applies in contexts where the kernel is not yet a [`Function`]. Existing functions keep theirs
    /// ([F288](crate::driver_facts#F288)).
    ///
    /// # Errors
    /// The errors of [`Function::set_attribute`].
    #[doc(alias = "cuKernelSetAttribute")]
    #[inline]
    pub fn set_attribute(
        &self,
        device: Device,
        attribute: FunctionAttribute,
        value: i32,
    ) -> Result {
        function::settable(SET, attribute)?;
        // SAFETY: the kernel is alive; the attribute is one, so that the driver finds it in its table (F292); no
        // context need be current (F285).
        unsafe { answer!(cuKernelSetAttribute(attribute, value, self.raw, device.raw())) }
            .explain(|_| Some(function::not_set(attribute, value)))
    }

    /// Sets the preferred shared-memory carve-out on a device. See [`Function::set_carveout`].
    ///
    /// # Errors
    /// The errors of [`Function::set_carveout`].
    #[doc(alias = "cuKernelSetAttribute")]
    #[inline]
    pub fn set_carveout(&self, device: Device, carveout: Carveout) -> Result {
        let attribute = ffi::CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT;
        self.set_attribute(device, attribute, carveout.value())
    }

    /// Sets the preferred cache configuration on a device. See [`Function::set_cache_config`].
    ///
    /// # Errors
    /// The errors of [`Function::set_cache_config`].
    #[doc(alias = "cuKernelSetCacheConfig")]
    #[inline]
    pub fn set_cache_config(&self, device: Device, config: CacheConfig) -> Result {
        // SAFETY: the kernel is alive; no context need be current (F285).
        unsafe { answer!(cuKernelSetCacheConfig(self.raw, config.raw(), device.raw())) }.result()
    }
}

impl fmt::Debug for LibraryKernel {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LibraryKernel({:p})", self.raw)
    }
}
