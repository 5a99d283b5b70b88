//! The kernels of a module.
#![allow(unsafe_code, reason = "calls the driver")]

use crate::call::{answer, name};
use crate::error::Result;
use crate::function::Function;
use crate::kernel::{Kernel, Signature};
use crate::module::Module;
use crate::module::refusals::Names;
use crate::name::Text;
use crate::owned::Owner;
use std::ffi::CStr;
use std::ptr;

impl<'ctx> Module<'ctx> {
    /// Returns a kernel by name: the name in the PTX, which is the name in the source for `extern "C"`.
    ///
    /// # Errors
    /// `CUDA_ERROR_NOT_FOUND` if there is no such kernel ([F63](crate::driver_facts#F63)),
    /// `CUDA_ERROR_INVALID_VALUE` for an empty name; [`Error::InvalidArgument`](crate::Error::InvalidArgument)
    /// for a name that contains a NUL.
    #[doc(alias = "cuModuleGetFunction")]
    #[doc(alias = "get_func")]
    #[doc(alias = "load_function")]
    pub fn function(&self, name: impl Text) -> Result<Function<'ctx>> {
        self.find(&name.with_nul(name!(cuModuleGetFunction))?)
    }

    #[inline]
    pub(super) fn find(&self, name: &CStr) -> Result<Function<'ctx>> {
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for one handle, the module is loaded, `name` ends in NUL; needs no
        // current context (F38).
        unsafe { answer!(cuModuleGetFunction(&raw mut raw, self.raw(), name.as_ptr())) }
            .explain(|_| Some(self.names().no_kernel(name)))?;
        Ok(Function::new(raw, Owner::Module(self.inner.clone())))
    }

    /// Returns the names of its contents, for messages.
    #[cold]
    pub(super) fn names(&self) -> Names {
        let kernels = self.functions().and_then(|all| all.iter().map(Function::name).collect());
        Names::new("the module", kernels, &self.inner.contents)
    }

    /// Returns a kernel by name and compares its parameters with a [`Signature`], so that no launch has other
    /// arguments: `module.kernel::<(u32, f32, &[f32], &mut [f32])>("saxpy")`. A struct that keeps the kernel says
    /// [`In<f32>` and `Out<f32>`](crate::In) for the slices.
    ///
    /// The driver reports positions and sizes of parameters, but no types. So in a module of a
    /// [`Cubin`](crate::Cubin) or [`Fatbin`](crate::Fatbin), **nobody notices two parameters of one size in the
    /// wrong order**. The text of [`Ptx`](crate::Ptx) distinguishes floating-point numbers from integers and
    /// pointers, but not an integer from a pointer, or two floats. To be safe, load PTX, make a `#[repr(C)]`
    /// struct with named fields the only parameter, and test each kernel once with arguments that all differ.
    ///
    /// # Errors
    /// The errors of [`function`](Self::function); [`Error::Signature`](crate::Error::Signature), which
    /// contains the parameter, its type in the kernel and its type in the signature.
    #[doc(alias = "cuFuncGetParamInfo")]
    #[doc(alias = "get_func")]
    #[doc(alias = "load_function")]
    pub fn kernel<S: Signature>(&self, name: impl Text) -> Result<Kernel<S>> {
        let name = name.with_nul(name!(cuModuleGetFunction))?;
        let function = self.find(&name)?;
        let name = name.to_string_lossy();
        let entry = self.inner.contents.kernel(&name);
        Kernel::new(function, &name, entry)
    }

    /// Returns all kernels, in the driver's order. With lazy loading, this does not load them.
    ///
    /// # Errors
    /// [`NeedsDriver`](crate::Error::NeedsDriver) before CUDA 12.4.
    #[doc(alias = "cuModuleGetFunctionCount")]
    #[doc(alias = "cuModuleEnumerateFunctions")]
    #[inline]
    pub fn functions(&self) -> Result<Vec<Function<'ctx>>> {
        let (count, enumerate) =
            (ffi::cuModuleGetFunctionCount()?, ffi::cuModuleEnumerateFunctions()?);
        let mut len = 0;
        // SAFETY: writes one number to `len`, which is valid for it; the module is loaded; needs no
        // current context (F272).
        unsafe { answer!(cuModuleGetFunctionCount = count(&raw mut len, self.raw())) }.check()?;
        let mut raw = vec![ptr::null_mut(); len as usize];
        if len != 0 {
            // SAFETY: as above; writes at most `len` handles, for which there is room.
            unsafe {
                answer!(cuModuleEnumerateFunctions = enumerate(raw.as_mut_ptr(), len, self.raw()))
            }
            .check()?;
        }
        let of = |raw| Function::new(raw, Owner::Module(self.inner.clone()));
        Ok(raw.into_iter().map(of).collect())
    }
}
