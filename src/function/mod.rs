//! Functions: kernels of loaded code in one context.
#![allow(unsafe_code, reason = "calls the driver, and says that a function may be shared")]

mod attributes;

pub use attributes::Carveout;
pub(crate) use attributes::{known, not_set, settable};

use crate::brand::Brand;
use crate::call::answer;
use crate::context::Context;
use crate::error::Result;
use crate::owned::Owner;
use ffi::{CUfunction, CUfunction_attribute};
use static_assertions::assert_impl_all;
use std::ffi::CStr;
use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

/// An attribute of a kernel. The constants are in [`ffi`], such as [`ffi::CU_FUNC_ATTRIBUTE_NUM_REGS`].
pub type FunctionAttribute = CUfunction_attribute;

/// A kernel of loaded code, in one context. It keeps its module or library loaded, and is cheap to clone.
#[doc(alias = "CudaFunction")]
#[derive(Clone)]
pub struct Function<'ctx> {
    pub(crate) inner: FunctionInner,
    pub(crate) _brand: Brand<'ctx>,
}
assert_impl_all!(Function<'static>: Send, Sync);

#[doc(hidden)]
pub struct FunctionInner {
    raw: CUfunction,
    /// The [`Context::key`] of its context.
    of: usize,
    owner: Owner,
    /// The bytes of dynamic shared memory that the driver certainly allows a launch. All handles of a function share what
    /// the driver allows, which only ever grows.
    allowed: AtomicU32,
    /// The parameters, once they were asked for.
    parameters: OnceLock<Arc<[ParameterInfo]>>,
}

impl Clone for FunctionInner {
    #[inline]
    fn clone(&self) -> Self {
        let allowed = AtomicU32::new(self.allowed.load(Ordering::Relaxed));
        let (owner, parameters) = (self.owner.clone(), self.parameters.clone());
        FunctionInner { raw: self.raw, of: self.of, owner, allowed, parameters }
    }
}

// SAFETY: a function is a part of its module and, like it, not tied to a thread (F30, F38).
unsafe impl Send for FunctionInner {}
// SAFETY: as for `Send`; through `&FunctionInner` the handle is only read, and what is set of a function is
// ordered by the driver.
unsafe impl Sync for FunctionInner {}

/// The position and size of a kernel parameter, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ParameterInfo {
    /// Its offset in the parameters.
    pub offset: usize,
    /// Its size.
    pub size: usize,
}

impl FunctionInner {
    /// Returns the owner of its code.
    pub(crate) fn owner(&self) -> &Owner {
        &self.owner
    }

    /// Returns the [`Context::key`] of its context.
    #[inline]
    pub(crate) fn key(&self) -> usize {
        self.of
    }

    #[inline]
    pub(crate) fn raw(&self) -> CUfunction {
        self.raw
    }

    /// Returns the positions and sizes of the parameters.
    #[inline]
    pub(crate) fn parameters(&self) -> Result<Vec<ParameterInfo>> {
        let get = ffi::cuFuncGetParamInfo()?;
        let mut parameters = Vec::new();
        loop {
            let mut info = ParameterInfo { offset: 0, size: 0 };
            let ParameterInfo { offset, size } = &mut info;
            // SAFETY: writes two sizes to places that are valid for them; the function is alive; needs no
            // current context (F272).
            let answer = unsafe {
                answer!(cuFuncGetParamInfo = get(self.raw(), parameters.len(), offset, size))
            };
            // Past the last one (F92).
            if answer.code == ffi::CUDA_ERROR_INVALID_VALUE {
                return Ok(parameters);
            }
            answer.check()?;
            parameters.push(info);
        }
    }
}

impl Function<'_> {
    /// Creates a function of code that the owner keeps loaded.
    #[inline]
    pub(crate) fn new(raw: CUfunction, owner: Owner) -> Self {
        let of = owner.context().key();
        let (allowed, parameters) = (AtomicU32::new(0), OnceLock::new());
        let inner = FunctionInner { raw, of, owner, allowed, parameters };
        Function { inner, _brand: Brand::new() }
    }

    /// Returns the context.
    #[must_use]
    #[inline]
    pub fn context(&self) -> &Context {
        self.inner.owner.context()
    }

    /// Returns the handle, for calls of [`ffi`]. It is valid while this value lives.
    #[must_use]
    #[inline]
    pub fn raw(&self) -> CUfunction {
        self.inner.raw
    }

    /// Returns the name, mangled if it is a C++ name.
    ///
    /// # Errors
    /// [`NeedsDriver`](crate::Error::NeedsDriver) before CUDA 12.3.
    #[doc(alias = "cuFuncGetName")]
    #[inline]
    pub fn name(&self) -> Result<String> {
        let get = ffi::cuFuncGetName()?;
        let mut name = std::ptr::null();
        // SAFETY: writes one pointer to `name`, which is valid for it; the function is alive; needs no
        // current context (F272).
        unsafe { answer!(cuFuncGetName = get(&raw mut name, self.raw())) }.check()?;
        // SAFETY: on success a string that ends in NUL and lives as long as the module.
        Ok(unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned())
    }

    /// Returns the positions and sizes of the kernel's parameters, in order, as a list that this handle and its later
    /// clones share. The driver is asked once.
    ///
    /// # Errors
    /// The errors of [`parameters`](Self::parameters).
    #[inline]
    pub(crate) fn known_parameters(&self) -> Result<Arc<[ParameterInfo]>> {
        if let Some(known) = self.inner.parameters.get() {
            return Ok(known.clone());
        }
        let asked: Arc<[ParameterInfo]> = self.parameters()?.into();
        Ok(self.inner.parameters.get_or_init(|| asked).clone())
    }

    /// Returns the positions and sizes of the kernel's parameters, in order.
    ///
    /// # Errors
    /// [`NeedsDriver`](crate::Error::NeedsDriver) before CUDA 12.4.
    #[doc(alias = "cuFuncGetParamInfo")]
    #[doc(alias = "cuFuncGetParamCount")]
    #[inline]
    pub fn parameters(&self) -> Result<Vec<ParameterInfo>> {
        self.inner.parameters()
    }

    /// Returns whether its code is on the device. A module may be loaded without its kernels, which are then
    /// loaded when they are first used.
    ///
    /// # Errors
    /// [`NeedsDriver`](crate::Error::NeedsDriver) before CUDA 12.4.
    #[doc(alias = "cuFuncIsLoaded")]
    #[inline]
    pub fn is_loaded(&self) -> Result<bool> {
        let get = ffi::cuFuncIsLoaded()?;
        let mut state = ffi::CU_FUNCTION_LOADING_STATE_UNLOADED;
        // SAFETY: writes one value to `state`, which is valid for it; the function is alive; needs no
        // current context (F272).
        unsafe { answer!(cuFuncIsLoaded = get(&raw mut state, self.raw())) }.check()?;
        Ok(state == ffi::CU_FUNCTION_LOADING_STATE_LOADED)
    }

    /// Loads its code to the device now, instead of when it is first used.
    ///
    /// # Errors
    /// [`NeedsDriver`](crate::Error::NeedsDriver) before CUDA 12.4; a driver error.
    #[doc(alias = "cuFuncLoad")]
    #[inline]
    pub fn load(&self) -> Result {
        let load = ffi::cuFuncLoad()?;
        // SAFETY: the function is alive; needs no current context (F272).
        unsafe { answer!(cuFuncLoad = load(self.raw())) }.result()
    }
}

impl fmt::Debug for Function<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

impl fmt::Debug for FunctionInner {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Function({:p}, {:?})", self.raw, self.owner.context())
    }
}
