//! Other contents of a library: its variables, its unified functions, and its module in a context.
#![allow(unsafe_code, reason = "calls the driver")]

use super::{Library, LibraryInner};
use crate::call::{answer, name};
use crate::error::Result;
use crate::memory::{DeviceBuffer, Element};
use crate::name::Text;
use crate::owned::Owner;
use crate::stack::PushedGuard;
use ffi::CUmodule;
use std::ffi::c_void;
use std::sync::Arc;
use std::{fmt, ptr};

/// A managed variable of a [`Library`]: memory that the host and every device can access, the same in all
/// contexts.
///
/// It keeps its library loaded. You can only read and write it through its address, which is `unsafe`, because
/// running kernels may use it by name.
pub struct ManagedVariable {
    address: ffi::CUdeviceptr,
    bytes: usize,
    _library: Arc<LibraryInner>,
}

impl ManagedVariable {
    /// Returns the address. It is valid on the host and on devices while this value lives.
    #[must_use]
    #[inline]
    pub fn as_ptr(&self) -> *mut c_void {
        ptr::with_exposed_provenance_mut(self.address as usize)
    }

    /// Returns the size in bytes.
    #[must_use]
    pub fn size_bytes(&self) -> usize {
        self.bytes
    }
}

impl fmt::Debug for ManagedVariable {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ManagedVariable({} bytes at {:#x})", self.bytes, self.address)
    }
}

impl Library {
    /// Lends a variable in the context of a guard as a buffer. Each context has its own, except
    /// for managed variables. See [`Module::variable`](crate::Module::variable).
    ///
    /// # Errors
    /// The errors of [`Module::variable`](crate::Module::variable); [`NotCurrent`](crate::Error::NotCurrent).
    #[doc(alias = "cuLibraryGetGlobal")]
    pub fn variable<'ctx, T: Element>(
        &self,
        gpu: &PushedGuard<'ctx>,
        name: impl Text,
    ) -> Result<DeviceBuffer<'ctx, T>> {
        const CALL: &str = name!(cuLibraryGetGlobal);
        let name = name.with_nul(CALL)?;
        gpu.enter(CALL)?;
        let (mut address, mut bytes) = (0, 0);
        // SAFETY: `address` and `bytes` are valid for one value each, the library is loaded, `name` ends in
        // NUL; acts on the current context, which `enter` found to be the guard's.
        unsafe {
            answer!(cuLibraryGetGlobal(&raw mut address, &raw mut bytes, self.raw(), name.as_ptr()))
        }
        .explain(|_| Some(self.names().no_variable(&name)))?;
        let owner = Owner::Library(self.inner.clone(), gpu.context().clone());
        crate::module::lend(CALL, (address, bytes), &self.inner.leases, owner)
    }

    /// Returns a managed variable, which is the same in all contexts. [`variable`](Self::variable) accepts its
    /// name too.
    ///
    /// # Errors
    /// `CUDA_ERROR_NOT_FOUND` if there is no such variable, or if it is not managed.
    #[doc(alias = "cuLibraryGetManaged")]
    pub fn managed(&self, name: impl Text) -> Result<ManagedVariable> {
        let name = name.with_nul(name!(cuLibraryGetManaged))?;
        let (mut address, mut bytes) = (0, 0);
        // SAFETY: as above; no context need be current (F285).
        unsafe {
            answer!(cuLibraryGetManaged(
                &raw mut address,
                &raw mut bytes,
                self.raw(),
                name.as_ptr()
            ))
        }
        .explain(|_| Some(self.names().not_managed(&name)))?;
        Ok(ManagedVariable { address, bytes, _library: self.inner.clone() })
    }

    /// Returns the address of a unified function, which host and devices can call. It is valid while the
    /// library is loaded.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` if there is no such function ([F285](crate::driver_facts#F285)), or the
    /// device has none.
    #[doc(alias = "cuLibraryGetUnifiedFunction")]
    pub fn unified_function(&self, name: impl Text) -> Result<*mut c_void> {
        let name = name.with_nul(name!(cuLibraryGetUnifiedFunction))?;
        let mut address = ptr::null_mut();
        // SAFETY: `address` is valid for one pointer, the library is loaded, `name` ends in NUL.
        unsafe {
            answer!(cuLibraryGetUnifiedFunction(&raw mut address, self.raw(), name.as_ptr()))
        }
        .explain(|_| {
            let name = name.to_string_lossy();
            Some(format!(
                "the library has no unified function `{name}`, or the device has no unified functions \
                 (CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS)"
            ))
        })?;
        Ok(address)
    }

    /// Returns the module of the library in the context of a guard, for calls of [`ffi`]. It belongs to the
    /// library: unloading it is `CUDA_ERROR_NOT_PERMITTED` ([F285](crate::driver_facts#F285)).
    ///
    /// # Errors
    /// [`NotCurrent`](crate::Error::NotCurrent); a driver error.
    #[doc(alias = "cuLibraryGetModule")]
    #[inline]
    pub fn raw_module(&self, gpu: &PushedGuard<'_>) -> Result<CUmodule> {
        gpu.enter(name!(cuLibraryGetModule))?;
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for one handle, the library is loaded; acts on the current context, which
        // `enter` found to be the guard's.
        unsafe { answer!(cuLibraryGetModule(&raw mut raw, self.raw())) }.check()?;
        Ok(raw)
    }
}
