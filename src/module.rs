//! Modules: loaded code.
#![allow(unsafe_code, reason = "calls the driver, and says that a module may be shared")]

use crate::brand::Brand;
use crate::capture_mode::relaxed;
use crate::error::{Error, LoadError, check, release};
use crate::{Context, Function, PushedGuard, Result};
use ffi::{CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CUmodule};
use static_assertions::assert_impl_all;
use std::borrow::Cow;
use std::ffi::{CStr, CString, c_void};
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;
use std::{fmt, fs, ptr};

const LOAD: &str = "cuModuleLoadDataEx";
/// Zeros behind the text, its NUL among them.
const PADDING: usize = 128;

/// PTX text: `&str`, `String`, `&CStr` or `CString`. Sealed.
///
/// The driver reads PTX up to a NUL. The text is copied and gets it, so a missing NUL cannot reach the
/// driver.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not PTX text",
    note = "PTX is `&str`, `String`, `&CStr` or `CString`: `include_str!(\"kernel.ptx\")`"
)]
pub trait PtxText<'p>: sealed::Sealed {
    #[doc(hidden)]
    fn with_nul(self) -> Result<Cow<'p, CStr>>;
}

mod sealed {
    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot implement `PtxText`, which is sealed",
        label = "only `&str`, `String`, `&CStr` and `CString` do"
    )]
    pub trait Sealed {}
    impl Sealed for &str {}
    impl Sealed for String {}
    impl Sealed for &std::ffi::CStr {}
    impl Sealed for std::ffi::CString {}
}

fn owned(text: impl Into<Vec<u8>>) -> Result<Cow<'static, CStr>> {
    let reason = "the PTX text has a NUL byte inside: the driver would read it only to there";
    let text = CString::new(text).map_err(|_| Error::InvalidArgument { call: LOAD, reason })?;
    Ok(Cow::Owned(text))
}

impl<'p> PtxText<'p> for &str {
    fn with_nul(self) -> Result<Cow<'p, CStr>> {
        owned(self)
    }
}
impl<'p> PtxText<'p> for String {
    fn with_nul(self) -> Result<Cow<'p, CStr>> {
        owned(self)
    }
}
impl<'p> PtxText<'p> for &'p CStr {
    fn with_nul(self) -> Result<Cow<'p, CStr>> {
        Ok(Cow::Borrowed(self))
    }
}
impl<'p> PtxText<'p> for CString {
    fn with_nul(self) -> Result<Cow<'p, CStr>> {
        Ok(Cow::Owned(self))
    }
}

/// Loaded code of one context. Its [`Function`]s keep it loaded.
///
/// Unloading waits for all work of the context (F50) and needs no current context (F40).
pub struct Module<'ctx> {
    pub(crate) inner: Arc<ModuleInner>,
    pub(crate) _brand: Brand<'ctx>,
}
assert_impl_all!(Module<'static>: Send, Sync);

pub(crate) struct ModuleInner {
    raw: CUmodule,
    pub(crate) context: Context,
}
// SAFETY: a module is not tied to a thread: looking up and unloading need no current context and may
// happen on any thread (F38, F40). The handle is never changed.
unsafe impl Send for ModuleInner {}
// SAFETY: as for `Send`; concurrent look-ups in one module are ordered by the driver (F91).
unsafe impl Sync for ModuleInner {}

impl Drop for ModuleInner {
    fn drop(&mut self) {
        // SAFETY: this is the only owner of the handle, which was loaded and not unloaded, and no
        // `Function` of it is left, since each holds this value. Its context is alive. Work that runs
        // its code is waited for by the driver (F50), and captures do not refuse it (F101).
        release("cuModuleUnload", || relaxed(|| unsafe { ffi::cuModuleUnload(self.raw) }));
    }
}

impl<'ctx> PushedGuard<'ctx> {
    /// Compiles PTX text for this device and loads it. Waits for all work of the context (F50).
    ///
    /// # Errors
    /// [`Error::Load`] with the compiler's log: `CUDA_ERROR_INVALID_PTX`,
    /// `CUDA_ERROR_UNSUPPORTED_PTX_VERSION`, `CUDA_ERROR_INVALID_IMAGE` (F63);
    /// [`NotCurrent`](Error::NotCurrent); [`Error::InvalidArgument`] for text with a NUL inside, or that
    /// begins neither with `.version` nor with a comment.
    ///
    /// # Examples
    /// ```
    /// # use cuscope::{Context, ContextFlags, ContextStack, Device};
    /// # fn main() -> cuscope::Result {
    /// # let context = Context::create(Device::get(0)?, ContextFlags::default())?;
    /// # let mut stack = ContextStack::current_thread()?;
    /// # let gpu = stack.push(&context)?;
    /// let module = gpu.load_ptx(
    ///     ".version 7.0 .target sm_52 .address_size 64 .visible .entry nothing() { ret; }",
    /// )?;
    /// let nothing = module.function("nothing")?;
    /// # Ok(()) }
    /// ```
    #[doc(alias = "cuModuleLoadData")]
    #[doc(alias = "cuModuleLoadDataEx")]
    pub fn load_ptx<'p>(&self, ptx: impl PtxText<'p>) -> Result<Module<'ctx>> {
        let ptx = ptx.with_nul()?;
        self.enter(LOAD)?;
        self.load_image(&ptx)
    }

    /// Reads a file of PTX text, compiles it for this device and loads it.
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be read, [`Error::InvalidArgument`] if it is not text; as
    /// [`load_ptx`](Self::load_ptx).
    #[doc(alias = "cuModuleLoad")]
    pub fn load_ptx_file(&self, path: impl AsRef<Path>) -> Result<Module<'ctx>> {
        let path = path.as_ref();
        let text = fs::read_to_string(path).map_err(|e| match e.kind() {
            ErrorKind::InvalidData => {
                let reason = "the file is not text, as PTX is: compile to PTX, not to machine code";
                Error::InvalidArgument { call: LOAD, reason }
            }
            kind => Error::File { call: LOAD, path: Box::new(path.to_owned()), kind },
        })?;
        self.load_ptx(text)
    }

    fn load_image(&self, ptx: &CStr) -> Result<Module<'ctx>> {
        let text = ptx.to_bytes();
        let start = text.trim_ascii_start();
        if ![&b".version"[..], b"//", b"/*"].iter().any(|first| start.starts_with(first)) {
            let reason = "the text is not PTX: it begins with `.version` or a comment";
            return Err(Error::InvalidArgument { call: LOAD, reason });
        }
        // A copy with zeros behind it: the driver reads some bytes to tell images apart, whatever the
        // text's length (F113).
        let mut image = vec![0_u8; text.len() + PADDING];
        image[..text.len()].copy_from_slice(text);
        let mut log = vec![0_u8; 16 * 1024];
        let mut options = [CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
        let mut values =
            [log.as_mut_ptr().cast::<c_void>(), ptr::without_provenance_mut(log.len())];
        let mut raw = ptr::null_mut();
        // SAFETY: 1. `raw` is valid for one handle. 2. The image is PTX text that ends in NUL,
        // with zeros behind it for what the driver reads to tell images apart (F113).
        // 3. `options` and `values` have two elements each: a buffer for errors, and its size in bytes,
        // which stands for itself in the place of a pointer. 4. The current context is the guard's:
        // the callers called `enter`.
        let code = unsafe {
            ffi::cuModuleLoadDataEx(
                &raw mut raw,
                image.as_ptr().cast(),
                2,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        };
        check(LOAD, code).map_err(|driver| {
            let log = CStr::from_bytes_until_nul(&log).unwrap_or_default();
            Box::new(LoadError::new(driver, log.to_string_lossy().trim_end().to_owned()))
        })?;
        let inner = Arc::new(ModuleInner { raw, context: self.context().clone() });
        Ok(Module { inner, _brand: Brand::new() })
    }
}

impl<'ctx> Module<'ctx> {
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

    /// A kernel, by name: the name in the PTX, which is the one in the source for `extern "C"`.
    ///
    /// # Errors
    /// `CUDA_ERROR_NOT_FOUND` if there is no such kernel (F63); [`Error::InvalidArgument`] for a name
    /// with a NUL inside.
    #[doc(alias = "cuModuleGetFunction")]
    pub fn function(&self, name: &str) -> Result<Function<'ctx>> {
        const CALL: &str = "cuModuleGetFunction";
        let reason = "the name has a NUL byte inside";
        let name = CString::new(name).map_err(|_| Error::InvalidArgument { call: CALL, reason })?;
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for one handle, the module is loaded, `name` ends in NUL; needs no
        // current context (F38).
        check(CALL, unsafe { ffi::cuModuleGetFunction(&raw mut raw, self.raw(), name.as_ptr()) })?;
        Ok(Function::new(raw, self.inner.clone()))
    }
}

impl fmt::Debug for Module<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Module({:p}, {:?})", self.raw(), self.context())
    }
}
