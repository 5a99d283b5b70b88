//! The linker, which combines several pieces of device code.
#![allow(unsafe_code, reason = "calls the driver")]

use crate::call::{answer, name};
use crate::context::Context;
use crate::driver::fork;
use crate::driver::release::report;
use crate::error::{DriverError, LoadError, Result};
use crate::image::sealed::Sealed as _;
use crate::image::{Bytes, Cubin, Image, ImageKind, Ptx};
use crate::jit::{JitLog, JitOptions, Request, refusals};
use crate::name::Text;
use crate::stack::PushedGuard;
use ffi::{CUjitInputType, CUlinkState};
use std::ffi::CStr;
use std::{fmt, ptr, slice};

const CREATE: &str = name!(cuLinkCreate_v2);
const ADD: &str = name!(cuLinkAddData_v2);

/// A linker for device code, from [`PushedGuard::linker`].
///
/// If a piece of code cannot be added, the link ends with the error.
///
/// # Examples
/// ```
/// # use cuscope::{Context, ContextFlags, ContextStack, Device, Ptx, jit::JitOptions};
/// # fn main() -> cuscope::Result {
/// # let context = Context::create(Device::get(0)?, ContextFlags::default())?;
/// # let mut stack = ContextStack::current_thread()?;
/// # let gpu = stack.push(&context)?;
/// let head = ".version 7.0 .target sm_52 .address_size 64";
/// let twice = Ptx::new(format!(
///     "{head} .visible .func (.param .b32 r) twice(.param .b32 n) {{ .reg .b32 %r<3>;
///      ld.param.b32 %r1, [n]; add.s32 %r2, %r1, %r1; st.param.b32 [r], %r2; ret; }}"
/// ))?;
/// let caller = Ptx::new(format!(
///     "{head} .extern .func (.param .b32 r) twice(.param .b32 n);
///      .visible .entry four(.param .u64 out) {{ .reg .b32 %r<2>; .reg .b64 %rd<3>;
///      ld.param.u64 %rd1, [out]; cvta.to.global.u64 %rd2, %rd1;
///      {{ .param .b32 a; .param .b32 b; st.param.b32 [a], 2; call (b), twice, (a); ld.param.b32 %r1, [b]; }}
///      st.global.u32 [%rd2], %r1; ret; }}"
/// ))?;
/// let linker = gpu.linker(&JitOptions::new())?;
/// let linked = linker.add(&caller, "caller")?.add(&twice, "twice")?.finish()?;
/// let four = gpu.load(&linked.cubin)?.kernel::<(&mut [u32],)>("four")?;
/// # Ok(()) }
/// ```
#[must_use]
pub struct Linker {
    raw: CUlinkState,
    /// The buffers that the driver writes to until the state is destroyed.
    request: Request,
    /// The context for whose device the code is linked.
    context: Context,
}

/// The result of a link.
#[derive(Debug)]
#[non_exhaustive]
pub struct Linked {
    /// The code. If the software driver linked it, only the software driver can load it.
    pub cubin: Cubin,
    /// The log.
    pub log: JitLog,
}

impl Drop for Linker {
    #[inline]
    fn drop(&mut self) {
        if fork::is_child() {
            return;
        }
        // SAFETY: this is the only owner of the state, which was created and not destroyed; the options and
        // buffers live until the field is dropped, behind this. Needs no current context (F289).
        let answer = unsafe { answer!(cuLinkDestroy(self.raw)) };
        // It stays on its thread, which is none of the driver's.
        report(answer);
    }
}

/// # Linking
impl PushedGuard<'_> {
    /// Starts a link for the device of this guard.
    ///
    /// # Errors
    /// [`NotCurrent`](crate::Error::NotCurrent); the errors of [`load_with`](Self::load_with) about options.
    #[doc(alias = "cuLinkCreate")]
    #[inline]
    pub fn linker(&self, options: &JitOptions) -> Result<Linker> {
        let mut request = Request::new(CREATE, options)?;
        self.enter(CREATE)?;
        let mut raw = ptr::null_mut();
        let (count, options, values) = request.parts();
        // SAFETY: `raw` is valid for one handle; `options` and `values` have `count` elements, and live on the
        // heap of `request`, as do the buffers, until the state is destroyed; acts on the current context,
        // which `enter` found to be the guard's.
        unsafe { answer!(cuLinkCreate_v2(count, options, values, &raw mut raw)) }
            .explain(|code| request.refused(code))?;
        Ok(Linker { raw, request, context: self.context().clone() })
    }
}

#[inline]
fn input(kind: ImageKind) -> CUjitInputType {
    match kind {
        ImageKind::Ptx => ffi::CU_JIT_INPUT_PTX,
        ImageKind::Cubin => ffi::CU_JIT_INPUT_CUBIN,
        ImageKind::Fatbin => ffi::CU_JIT_INPUT_FATBINARY,
    }
}

impl Linker {
    /// Adds PTX, which is compiled. The name appears in messages.
    ///
    /// # Errors
    /// [`Error::Load`](crate::Error::Load) with the log.
    #[doc(alias = "cuLinkAddData")]
    #[doc(alias = "cuLinkAddFile")]
    pub fn add(mut self, ptx: &Ptx, name: impl Text) -> Result<Linker> {
        let bytes: &Bytes = ptx.bytes();
        let (kind, text) = (input(ImageKind::Ptx), bytes.get());
        // SAFETY: it is text that ends in NUL, with zeros behind it (F113), without that of which the compiler is
        // known to die (F293).
        unsafe { self.add_data(kind, text, &name.with_nul(ADD)?, Some(text)) }?;
        Ok(self)
    }

    /// Adds machine code that was compiled for linking (`-rdc=true`, `-dc`).
    ///
    /// # Errors
    /// The errors of [`add`](Self::add); `CUDA_ERROR_NO_BINARY_FOR_GPU` for machine code of another
    /// architecture, or code that was not compiled for linking ([F289](crate::driver_facts#F289)).
    ///
    /// # Safety
    /// 1. The code is as a compiler wrote it. The checks of [`Cubin`] and [`Fatbin`](crate::Fatbin) are not
    ///    enough for the linker, which follows more of the code's structure: some damage that passes them
    ///    crashes it ([F294](crate::driver_facts#F294)).
    #[doc(alias = "cuLinkAddData")]
    #[doc(alias = "cuLinkAddFile")]
    pub unsafe fn add_code(mut self, code: impl Image, name: impl Text) -> Result<Linker> {
        let kind = input(code.kind());
        // SAFETY: the image is of the kind, and for machine code the caller's obligation 1.
        unsafe { self.add_data(kind, code.bytes().get(), &name.with_nul(ADD)?, None) }?;
        Ok(self)
    }

    /// Adds a host object file that contains device code.
    ///
    /// # Errors
    /// The errors of [`add`](Self::add); `CUDA_ERROR_INVALID_IMAGE` or `CUDA_ERROR_UNKNOWN` if it contains no
    /// device code ([F289](crate::driver_facts#F289)).
    ///
    /// # Safety
    /// 1. The bytes are a whole object file, as a compiler wrote it. The driver follows its structure, and
    ///    nothing here checks it.
    #[doc(alias = "cuLinkAddData")]
    pub unsafe fn add_object(mut self, object: &[u8], name: impl Text) -> Result<Linker> {
        let kind = ffi::CU_JIT_INPUT_OBJECT;
        // SAFETY: the caller's obligation 1.
        unsafe { self.add_data(kind, object, &name.with_nul(ADD)?, None) }?;
        Ok(self)
    }

    /// Adds an archive of object files that contain device code.
    ///
    /// # Errors
    /// The errors of [`add_object`](Self::add_object).
    ///
    /// # Safety
    /// 1. The bytes are a whole archive of such files, as an archiver wrote it.
    #[doc(alias = "cuLinkAddData")]
    pub unsafe fn add_archive(mut self, archive: &[u8], name: impl Text) -> Result<Linker> {
        let kind = ffi::CU_JIT_INPUT_LIBRARY;
        // SAFETY: the caller's obligation 1.
        unsafe { self.add_data(kind, archive, &name.with_nul(ADD)?, None) }?;
        Ok(self)
    }

    /// # Safety
    /// 1. The bytes are an input of the kind.
    #[inline]
    unsafe fn add_data(
        &mut self,
        kind: CUjitInputType,
        bytes: &[u8],
        name: &CStr,
        ptx: Option<&[u8]>,
    ) -> Result {
        let data = bytes.as_ptr().cast_mut().cast();
        // SAFETY: the state is alive and not complete; `data` has as many bytes, which the driver reads before
        // it returns, of the kind: the caller's obligation 1; `name` ends in NUL; no options of this input. No
        // context need be current (F289).
        let answer = unsafe {
            answer!(cuLinkAddData_v2(
                self.raw,
                kind,
                data,
                bytes.len(),
                name.as_ptr(),
                0,
                ptr::null_mut(),
                ptr::null_mut(),
            ))
        };
        let failed = |driver: DriverError| {
            let reason = refusals::link(kind, ptx, self.context.device(), driver.code());
            Box::new(LoadError::new(driver, self.request.errors(), ptx).because(reason))
        };
        Ok(answer.check().map_err(failed)?)
    }

    /// Links the code and returns it.
    ///
    /// # Errors
    /// [`Error::Load`](crate::Error::Load) with the log, which names missing and duplicate symbols
    /// ([F289](crate::driver_facts#F289)).
    #[doc(alias = "cuLinkComplete")]
    #[inline]
    pub fn finish(self) -> Result<Linked> {
        let (mut cubin, mut size) = (ptr::null_mut(), 0);
        // SAFETY: `cubin` and `size` are valid for one value each; the state is alive and not complete.
        let answer = unsafe { answer!(cuLinkComplete(self.raw, &raw mut cubin, &raw mut size)) };
        // Its log names symbols and inputs, and no lines: `add` compiles (F289).
        let failed = |driver| Box::new(LoadError::new(driver, self.request.errors(), None));
        answer.check().map_err(failed)?;
        // SAFETY: on success `size` bytes at `cubin` belong to the state, which is alive until the end of this
        // function.
        let bytes = unsafe { slice::from_raw_parts(cubin.cast::<u8>(), size) };
        Ok(Linked { cubin: Cubin::of_driver(bytes), log: self.request.log() })
    }
}

impl fmt::Debug for Linker {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Linker({:p})", self.raw)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_input_has_the_number_of_the_driver() {
        let kinds = [ImageKind::Cubin, ImageKind::Ptx, ImageKind::Fatbin];
        assert_eq!(kinds.map(|kind| input(kind).0), [0, 1, 2]);
    }
}
