//! Functions: kernels of a loaded module.
#![allow(unsafe_code, reason = "calls the driver, and says that a function may be shared")]

use crate::brand::Brand;
use crate::error::check;
use crate::module::ModuleInner;
use crate::{Context, Result};
use ffi::{CUfunction, CUfunction_attribute};
use static_assertions::assert_impl_all;
use std::fmt;
use std::sync::Arc;

/// An attribute of a kernel; the constants are those of [`ffi`], such as
/// [`ffi::CU_FUNC_ATTRIBUTE_NUM_REGS`].
pub type FunctionAttribute = CUfunction_attribute;

/// A kernel. Keeps its module loaded; cheap to clone.
#[derive(Clone)]
pub struct Function<'ctx> {
    pub(crate) inner: FunctionInner,
    pub(crate) _brand: Brand<'ctx>,
}
assert_impl_all!(Function<'static>: Send, Sync);

#[derive(Clone)]
pub(crate) struct FunctionInner {
    raw: CUfunction,
    module: Arc<ModuleInner>,
}
// SAFETY: a function is a part of its module and, like it, not tied to a thread (F30, F38).
unsafe impl Send for FunctionInner {}
// SAFETY: as for `Send`; through `&FunctionInner` the handle is only read.
unsafe impl Sync for FunctionInner {}

impl Function<'_> {
    pub(crate) fn new(raw: CUfunction, module: Arc<ModuleInner>) -> Self {
        Function { inner: FunctionInner { raw, module }, _brand: Brand::new() }
    }

    pub(crate) fn module(&self) -> &Arc<ModuleInner> {
        &self.inner.module
    }

    /// The context.
    #[must_use]
    #[inline]
    pub fn context(&self) -> &Context {
        &self.inner.module.context
    }

    /// The handle, for calls of [`ffi`]. It is valid while this value lives.
    #[must_use]
    #[inline]
    pub fn raw(&self) -> CUfunction {
        self.inner.raw
    }

    /// One attribute.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for an attribute that the driver does not know.
    #[doc(alias = "cuFuncGetAttribute")]
    pub fn attribute(&self, attribute: FunctionAttribute) -> Result<i32> {
        let mut value = 0;
        // SAFETY: writes one `c_int` to `value`, which is valid for it; the function is alive; needs
        // no current context (F38).
        check("cuFuncGetAttribute", unsafe {
            ffi::cuFuncGetAttribute(&raw mut value, attribute, self.raw())
        })?;
        Ok(value)
    }
}

impl fmt::Debug for Function<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Function({:p}, {:?})", self.raw(), self.context())
    }
}
