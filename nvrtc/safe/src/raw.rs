//! The calls of NVRTC.
#![allow(unsafe_code, reason = "calls NVRTC, and says that a compiled program may be shared")]

use crate::error::{NvrtcError, check};
use crate::{NvrtcVersion, ffi};
use ffi::{nvrtcProgram, nvrtcResult};
use static_assertions::assert_impl_all;
use std::ffi::{CStr, CString, c_char, c_int};
use std::panic::catch_unwind;
use std::sync::OnceLock;
use std::{mem, ptr};

/// Checks, before the first call of each operation, that there is a library to call.
fn loaded(call: &'static str) -> Result<(), NvrtcError> {
    ffi::load().map_err(|why| NvrtcError::NotLoaded { call, why })
}

pub(crate) fn version() -> Result<NvrtcVersion, NvrtcError> {
    const CALL: &str = "nvrtcVersion";
    loaded(CALL)?;
    let (mut major, mut minor) = (0, 0);
    // SAFETY: both pointers are valid for one `c_int`.
    check(CALL, unsafe { ffi::nvrtcVersion(&raw mut major, &raw mut minor) })?;
    Ok(NvrtcVersion { major: major.unsigned_abs(), minor: minor.unsigned_abs() })
}

pub(crate) fn supported_archs() -> Result<Vec<u32>, NvrtcError> {
    const COUNT: &str = "nvrtcGetNumSupportedArchs";
    loaded(COUNT)?;
    let mut count = 0;
    // SAFETY: writes one `c_int` to `count`, which is valid for it.
    check(COUNT, unsafe { ffi::nvrtcGetNumSupportedArchs(&raw mut count) })?;
    let mut archs: Vec<c_int> = vec![0; usize::try_from(count).unwrap_or(0)];
    // SAFETY: writes as many `c_int`s as it said above, which `archs` has.
    let code = unsafe { ffi::nvrtcGetSupportedArchs(archs.as_mut_ptr()) };
    check("nvrtcGetSupportedArchs", code)?;
    Ok(archs.into_iter().map(c_int::unsigned_abs).collect())
}

/// A program of NVRTC, destroyed when dropped.
#[derive(Debug)]
pub(crate) struct RawProgram(nvrtcProgram);
assert_impl_all!(RawProgram: Send, Sync);
// SAFETY: NVRTC may be called from any thread, and a program is not tied to one (NVRTC manual,
// "Miscellaneous Notes", on threads).
unsafe impl Send for RawProgram {}
// SAFETY: concurrent calls with one program are a race only if one of them compiles it or adds a name
// expression (same place of the manual). Those take `&mut self` here.
unsafe impl Sync for RawProgram {}

/// The names of the two functions that read one output.
type Names = (&'static str, &'static str);
/// Writes the size of an output in bytes.
type Size = unsafe extern "C" fn(nvrtcProgram, *mut usize) -> nvrtcResult;
/// Writes an output of that size.
type Get = unsafe extern "C" fn(nvrtcProgram, *mut c_char) -> nvrtcResult;

impl RawProgram {
    /// `headers`: names and texts.
    pub(crate) fn create(
        source: &CStr,
        name: &CStr,
        headers: &[(CString, CString)],
    ) -> Result<Self, NvrtcError> {
        const CALL: &str = "nvrtcCreateProgram";
        loaded(CALL)?;
        let names: Vec<*const c_char> = headers.iter().map(|(name, _)| name.as_ptr()).collect();
        let texts: Vec<*const c_char> = headers.iter().map(|(_, text)| text.as_ptr()).collect();
        let mut raw = ptr::null_mut();
        // SAFETY: 1. `raw` is valid for one handle. 2. All strings end in NUL, and NVRTC copies them.
        // 3. `texts` and `names` have as many elements as the count says.
        let code = unsafe {
            ffi::nvrtcCreateProgram(
                &raw mut raw,
                source.as_ptr(),
                name.as_ptr(),
                count(CALL, headers.len())?,
                texts.as_ptr(),
                names.as_ptr(),
            )
        };
        check(CALL, code)?;
        Ok(RawProgram(raw))
    }

    pub(crate) fn add_name_expression(&mut self, expression: &CStr) -> Result<(), NvrtcError> {
        // SAFETY: the program is alive and not in use by another thread; the string ends in NUL and is
        // copied.
        let code = unsafe { ffi::nvrtcAddNameExpression(self.0, expression.as_ptr()) };
        check("nvrtcAddNameExpression", code)
    }

    /// Compiles and returns the code. The log has the details.
    pub(crate) fn compile(&mut self, options: &[CString]) -> Result<nvrtcResult, NvrtcError> {
        let count = count("nvrtcCompileProgram", options.len())?;
        let options: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        // SAFETY: the program is alive and not in use by another thread; `options` has as many strings
        // that end in NUL as the count says.
        Ok(unsafe { ffi::nvrtcCompileProgram(self.0, count, options.as_ptr()) })
    }

    pub(crate) fn log(&self) -> Result<Vec<u8>, NvrtcError> {
        let names = ("nvrtcGetProgramLogSize", "nvrtcGetProgramLog");
        // SAFETY: the two functions of one output.
        unsafe { self.read(names, ffi::nvrtcGetProgramLogSize, ffi::nvrtcGetProgramLog) }
    }

    /// Returns the PTX with its NUL, or only a NUL if there is none.
    pub(crate) fn ptx(&self) -> Result<Vec<u8>, NvrtcError> {
        let names = ("nvrtcGetPTXSize", "nvrtcGetPTX");
        // SAFETY: the two functions of one output.
        unsafe { self.read(names, ffi::nvrtcGetPTXSize, ffi::nvrtcGetPTX) }
    }

    pub(crate) fn cubin(&self) -> Result<Vec<u8>, NvrtcError> {
        let names = ("nvrtcGetCUBINSize", "nvrtcGetCUBIN");
        // SAFETY: the two functions of one output.
        unsafe { self.read(names, ffi::nvrtcGetCUBINSize, ffi::nvrtcGetCUBIN) }
    }

    pub(crate) fn lto_ir(&self) -> Result<Vec<u8>, NvrtcError> {
        let (size, get) = (ffi::nvrtcGetLTOIRSize()?, ffi::nvrtcGetLTOIR()?);
        // SAFETY: the two functions of one output.
        unsafe { self.read(("nvrtcGetLTOIRSize", "nvrtcGetLTOIR"), size, get) }
    }

    pub(crate) fn optix_ir(&self) -> Result<Vec<u8>, NvrtcError> {
        let (size, get) = (ffi::nvrtcGetOptiXIRSize()?, ffi::nvrtcGetOptiXIR()?);
        // SAFETY: the two functions of one output.
        unsafe { self.read(("nvrtcGetOptiXIRSize", "nvrtcGetOptiXIR"), size, get) }
    }

    /// Reads an output.
    ///
    /// # Safety
    /// `get` writes as many bytes as `size` reports.
    unsafe fn read(&self, names: Names, size: Size, get: Get) -> Result<Vec<u8>, NvrtcError> {
        let mut len = 0;
        // SAFETY: the program is alive, and `len` valid for one `usize`.
        check(names.0, unsafe { size(self.0, &raw mut len) })?;
        let mut bytes = vec![0_u8; len];
        if len > 0 {
            // SAFETY: the program is alive, and `bytes` has what the caller says that `get` writes.
            check(names.1, unsafe { get(self.0, bytes.as_mut_ptr().cast()) })?;
        }
        Ok(bytes)
    }

    pub(crate) fn lowered_name(&self, expression: &CStr) -> Result<&CStr, NvrtcError> {
        const CALL: &str = "nvrtcGetLoweredName";
        let mut name: *const c_char = ptr::null();
        // SAFETY: the program is alive, the string ends in NUL, and `name` is valid for a pointer.
        let code = unsafe { ffi::nvrtcGetLoweredName(self.0, expression.as_ptr(), &raw mut name) };
        check(CALL, code)?;
        if name.is_null() {
            return check(CALL, ffi::NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID).map(|()| c"");
        }
        // SAFETY: on success a string that ends in NUL and lives until the program is destroyed (NVRTC
        // manual, `nvrtcGetLoweredName`): as long as `self`, which the result borrows.
        Ok(unsafe { CStr::from_ptr(name) })
    }
}

impl Drop for RawProgram {
    fn drop(&mut self) {
        // SAFETY: this is the only owner of the program, which was created and not destroyed.
        let code = unsafe { ffi::nvrtcDestroyProgram(&raw mut self.0) };
        if let Err(error) = check("nvrtcDestroyProgram", code) {
            report(error);
        }
    }
}

static HOOK: OnceLock<fn(NvrtcError)> = OnceLock::new();

/// Sets the hook that hears when NVRTC cannot destroy a program, which a `Drop` cannot return. The first one stays.
/// Without a hook, such errors are ignored, and NVRTC keeps the memory of the program.
///
/// `cuscope::on_release_error` sets a hook that reports to its own.
pub fn on_destroy_error(hook: fn(NvrtcError)) {
    let _first = HOOK.get_or_init(|| hook);
}

/// Calls the hook. If it panics, that ends here.
#[cold]
fn report(error: NvrtcError) {
    let Some(hook) = HOOK.get() else { return };
    if let Err(payload) = catch_unwind(move || hook(error)) {
        // Its destructor could panic again.
        mem::forget(payload);
    }
}

/// Converts a number of strings to NVRTC's type.
fn count(call: &'static str, len: usize) -> Result<c_int, NvrtcError> {
    c_int::try_from(len)
        .map_err(|_| NvrtcError::invalid(call, "there are too many strings: pass fewer"))
}
