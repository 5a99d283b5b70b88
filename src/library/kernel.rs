//! Kernels of libraries.
#![allow(unsafe_code, reason = "calls the driver, and says that a kernel may be shared")]

use super::{Library, LibraryInner};
use crate::call::{answer, name};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::function::{self, Carveout, Function, FunctionAttribute};
use crate::kernel::{Kernel, Signature};
use crate::name::Name;
use crate::owned::Owner;
use crate::settings::CacheConfig;
use crate::stack::PushedGuard;
use ffi::CUkernel;
use static_assertions::assert_impl_all;
use std::ffi::CStr;
use std::sync::Arc;
use std::{fmt, ptr};

const SET: &str = name!(cuKernelSetAttribute);

/// A kernel of a [`Library`], of no context: [`function`](Self::function) is what it is under a guard. Keeps its
/// library loaded; cheap to clone.
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
    /// A kernel, by name.
    ///
    /// # Errors
    /// `CUDA_ERROR_NOT_FOUND` if there is no such kernel;
    /// [`Error::InvalidArgument`](crate::Error::InvalidArgument) for a name with a NUL inside.
    #[doc(alias = "cuLibraryGetKernel")]
    pub fn kernel(&self, name: impl Name) -> Result<LibraryKernel> {
        let name = name.with_nul(name!(cuLibraryGetKernel))?;
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for one handle, the library is loaded, `name` ends in NUL; no context need be
        // current (F285).
        unsafe { answer!(cuLibraryGetKernel(&raw mut raw, self.raw(), name.as_ptr())) }.check()?;
        Ok(LibraryKernel { raw, library: self.inner.clone() })
    }

    /// All kernels, in the driver's order.
    ///
    /// # Errors
    /// [`NeedsDriver`](crate::Error::NeedsDriver) before CUDA 12.4.
    #[doc(alias = "cuLibraryGetKernelCount")]
    #[doc(alias = "cuLibraryEnumerateKernels")]
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
    /// The handle, for calls of [`ffi`]. It is valid while this value lives.
    #[must_use]
    pub fn raw(&self) -> CUkernel {
        self.raw
    }

    /// The library.
    #[must_use]
    #[doc(alias = "cuKernelGetLibrary")]
    pub fn library(&self) -> Library {
        Library { inner: self.library.clone() }
    }

    /// What it is in the context of a guard, where it is launched. Brings the library there first, which
    /// waits for all work of the context (F286).
    ///
    /// # Errors
    /// [`NotCurrent`](crate::Error::NotCurrent); what the driver answers.
    #[doc(alias = "cuKernelGetFunction")]
    pub fn function<'ctx>(&self, gpu: &PushedGuard<'ctx>) -> Result<Function<'ctx>> {
        gpu.enter(name!(cuKernelGetFunction))?;
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for one handle, the kernel's library is loaded; acts on the current context,
        // which `enter` found to be the guard's.
        unsafe { answer!(cuKernelGetFunction(&raw mut raw, self.raw)) }.check()?;
        Ok(Function::new(raw, Owner::Library(self.library.clone(), gpu.context().clone())))
    }

    /// As [`function`](Self::function), with parameters that are compared with a [`Signature`]:
    /// [`Module::kernel`](crate::Module::kernel).
    ///
    /// # Errors
    /// As [`function`](Self::function); [`Error::Signature`](crate::Error::Signature).
    #[doc(alias = "cuKernelGetParamInfo")]
    pub fn typed<'ctx, S: Signature>(&self, gpu: &PushedGuard<'ctx>) -> Result<Kernel<'ctx, S>> {
        let function = self.function(gpu)?;
        let name = match self.name() {
            // Such a driver can tell no parameters either.
            Err(Error::NeedsDriver { .. }) => String::new(),
            name => name?,
        };
        let entry = self.library.entries.iter().find(|entry| entry.name == name);
        Kernel::new(function, &name, entry)
    }

    /// The name, mangled if it is of C++.
    ///
    /// # Errors
    /// [`NeedsDriver`](crate::Error::NeedsDriver) before CUDA 12.3.
    #[doc(alias = "cuKernelGetName")]
    pub fn name(&self) -> Result<String> {
        let get = ffi::cuKernelGetName()?;
        let mut name = ptr::null();
        // SAFETY: writes one pointer to `name`, which is valid for it; the kernel is alive.
        unsafe { answer!(cuKernelGetName = get(&raw mut name, self.raw)) }.check()?;
        // SAFETY: on success a string that ends in NUL and lives as long as the library.
        Ok(unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned())
    }

    /// One attribute on a device.
    ///
    /// # Errors
    /// As [`Function::attribute`].
    #[doc(alias = "cuKernelGetAttribute")]
    pub fn attribute(&self, device: Device, attribute: FunctionAttribute) -> Result<i32> {
        function::known(name!(cuKernelGetAttribute), attribute)?;
        let mut value = 0;
        // SAFETY: writes one `c_int` to `value`, which is valid for it; the kernel is alive; the attribute is one
        // (F292); no context need be current (F285).
        unsafe { answer!(cuKernelGetAttribute(&raw mut value, attribute, self.raw, device.raw())) }
            .check()?;
        Ok(value)
    }

    /// Sets one attribute on a device, for the contexts in which the kernel is not yet a
    /// [`Function`]; those that are keep theirs (F288).
    ///
    /// # Errors
    /// As [`Function::set_attribute`].
    #[doc(alias = "cuKernelSetAttribute")]
    pub fn set_attribute(
        &self,
        device: Device,
        attribute: FunctionAttribute,
        value: i32,
    ) -> Result {
        function::known(SET, attribute)?;
        // SAFETY: the kernel is alive; the attribute is one, so that the driver finds it in its table (F292); no
        // context need be current (F285).
        unsafe { answer!(cuKernelSetAttribute(attribute, value, self.raw, device.raw())) }.result()
    }

    /// As [`Function::set_max_dynamic_shared_bytes`], on a device.
    ///
    /// # Errors
    /// As there.
    #[doc(alias = "cuKernelSetAttribute")]
    pub fn set_max_dynamic_shared_bytes(&self, device: Device, size: u32) -> Result {
        let attribute = ffi::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        self.set_attribute(device, attribute, function::bytes(SET, size)?)
    }

    /// As [`Function::set_carveout`], on a device.
    ///
    /// # Errors
    /// As there.
    #[doc(alias = "cuKernelSetAttribute")]
    pub fn set_carveout(&self, device: Device, carveout: Carveout) -> Result {
        let attribute = ffi::CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT;
        self.set_attribute(device, attribute, carveout.value())
    }

    /// As [`Function::set_cache_config`], on a device.
    ///
    /// # Errors
    /// As there.
    #[doc(alias = "cuKernelSetCacheConfig")]
    pub fn set_cache_config(&self, device: Device, config: CacheConfig) -> Result {
        // SAFETY: the kernel is alive; no context need be current (F285).
        unsafe { answer!(cuKernelSetCacheConfig(self.raw, config.raw(), device.raw())) }.result()
    }
}

impl fmt::Debug for LibraryKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LibraryKernel({:p})", self.raw)
    }
}
