//! Libraries: code that belongs to no context, and is loaded in each context that uses it.
#![allow(unsafe_code, reason = "calls the driver")]

mod kernel;
mod variable;

pub use kernel::LibraryKernel;
pub use variable::ManagedVariable;

use crate::call::{answer, name};
use crate::device::Device;
use crate::error::Result;
use crate::image::{Image, ImageKind, PtxContents};
use crate::jit::{JitLog, JitOptions, Request};
use crate::owned::LibraryInner;
use ffi::CUlibrary;
use static_assertions::assert_impl_all;
use std::sync::Arc;
use std::{fmt, ptr};

/// A library: code that belongs to no context.
///
/// [`load`](Self::load) needs no guard, and its [kernels](LibraryKernel) can be used under any guard. A library
/// is cheap to clone. Its kernels, functions and variables keep it loaded.
///
/// # Examples
/// ```standalone_crate
/// # use cuscope::{Context, ContextFlags, ContextStack, Device, LaunchConfig, Library, Ptx};
/// # fn main() -> cuscope::Result {
/// let library = Library::load(&Ptx::new(include_str!("../../examples/kernels/saxpy.ptx"))?)?;
/// let saxpy = library.kernel("saxpy")?;
/// # let mut stack = ContextStack::current_thread()?;
/// for _ in 0..2 {
///     let context = Context::create(Device::get(0)?, ContextFlags::default())?;
///     let gpu = stack.push(&context)?;
///     let saxpy = saxpy.typed::<(u32, f32, &[f32], &mut [f32])>(&gpu)?; // in this context
/// }
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Library {
    pub(crate) inner: Arc<LibraryInner>,
}
assert_impl_all!(Library: Send, Sync);

impl Library {
    /// Loads an image. PTX is compiled now. A context loads the code when it is first used there.
    ///
    /// # Errors
    /// The errors of [`PushedGuard::load`](crate::PushedGuard::load), except those about the context.
    #[doc(alias = "cuLibraryLoadData")]
    #[doc(alias = "cuLibraryLoadFromFile")]
    pub fn load(image: impl Image) -> Result<Library> {
        Ok(Self::load_with(image, &JitOptions::new())?.0)
    }

    /// Loads an image with compiler options, and returns the compiler's log too. See [`load`](Self::load).
    ///
    /// # Errors
    /// The errors of [`PushedGuard::load_with`](crate::PushedGuard::load_with), except those about the context.
    #[doc(alias = "cuLibraryLoadData")]
    pub fn load_with(image: impl Image, options: &JitOptions) -> Result<(Library, JitLog)> {
        let mut request = Request::new(name!(cuLibraryLoadData), options)?;
        crate::init()?;
        let bytes = image.bytes().get();
        let ptx = (image.kind() == ImageKind::Ptx).then_some(bytes);
        let mut raw = ptr::null_mut();
        let (count, jit, values) = request.parts();
        // SAFETY: 1. `raw` is valid for one handle. 2. PTX is text that ends in NUL, without that of which the
        // compiler is known to die (F293); machine code has what compilers write, and lies whole in the image, which
        // has zeros behind it (F113). What was made to deceive these checks is a known hole of SOUNDNESS.md. 3. `jit`
        // and `values` have `count` elements, and live in `request`. 4. No options of the library. No context need be
        // current (F285).
        let answer = unsafe {
            answer!(cuLibraryLoadData(
                &raw mut raw,
                bytes.as_ptr().cast(),
                jit,
                values,
                count,
                ptr::null_mut(),
                ptr::null_mut(),
                0,
            ))
        };
        let failed = |driver| request.not_loaded(driver, ptx, Device::get(0).ok());
        answer.check().map_err(failed)?;
        let inner = LibraryInner {
            raw,
            unloaded: false,
            contents: ptx.map(PtxContents::of).unwrap_or_default(),
            leases: Arc::default(),
        };
        let library = Library { inner: Arc::new(inner) };
        // Loading succeeds for every image. The query for a kernel detects a bad one (F284).
        let mut none = ptr::null_mut();
        // SAFETY: `none` is valid for one handle, the library is loaded, the name ends in NUL.
        let answer = unsafe { answer!(cuLibraryGetKernel(&raw mut none, raw, c"".as_ptr())) };
        if answer.code != ffi::CUDA_ERROR_NOT_FOUND {
            answer.check().map_err(failed)?;
        }
        Ok((library, request.log()))
    }

    /// Returns the handle, for calls of [`ffi`]. It is valid while this value or anything from it lives. Do not
    /// unload it.
    #[must_use]
    pub fn raw(&self) -> CUlibrary {
        self.inner.raw
    }

    /// Unloads the library now and returns the result. Waits for the work of all contexts that use it
    /// ([F286](crate::driver_facts#F286)).
    ///
    /// # Errors
    /// `Err(self)` if a clone, a kernel, a function, a variable or a graph still holds the library. The inner
    /// result is the driver's answer.
    #[doc(alias = "cuLibraryUnload")]
    #[inline]
    pub fn try_unload(self) -> Result<Result, Library> {
        match Arc::try_unwrap(self.inner) {
            Ok(mut inner) => Ok(inner.unload()),
            Err(inner) => Err(Library { inner }),
        }
    }
}

/// Two libraries are equal if the driver's handles are.
impl PartialEq for Library {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.raw() == other.raw()
    }
}
impl Eq for Library {}

impl fmt::Debug for Library {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Library({:p})", self.raw())
    }
}
