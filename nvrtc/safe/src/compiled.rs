//! The results of a compilation.

use crate::program::expression;
use crate::raw::RawProgram;
use crate::{Arch, CompileLog, NvrtcError};
use static_assertions::assert_impl_all;
use std::ffi::CString;

/// A compiled program. NVRTC keeps its outputs until this is dropped.
#[derive(Debug)]
pub struct Compiled {
    raw: RawProgram,
    log: CompileLog,
    arch: Option<Arch>,
}
assert_impl_all!(Compiled: Send, Sync);

impl Compiled {
    pub(crate) fn new(raw: RawProgram, log: CompileLog, arch: Option<Arch>) -> Self {
        Compiled { raw, log, arch }
    }

    /// Returns the compiler's log, which contains its warnings.
    #[must_use]
    pub fn log(&self) -> &CompileLog {
        &self.log
    }

    /// Returns the PTX, for `cuscope::PushedGuard::load_ptx`. A real architecture has PTX too.
    ///
    /// # Errors
    /// [`NvrtcError::NoOutput`] if the options requested LTO-IR or OptiX-IR instead.
    #[doc(alias = "nvrtcGetPTX")]
    pub fn ptx(&self) -> Result<CString, NvrtcError> {
        let mut bytes = self.raw.ptx()?;
        // To the first NUL, which was written with the text.
        bytes.truncate(bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len()));
        let reason = "the options request LTO-IR or OptiX-IR, which replaces PTX";
        match CString::new(bytes) {
            Ok(ptx) if !ptx.is_empty() => Ok(ptx),
            _ => Err(NvrtcError::NoOutput { call: "nvrtcGetPTX", reason }),
        }
    }

    /// Returns the machine code for the real architecture: an ELF file.
    ///
    /// # Errors
    /// [`NvrtcError::NoOutput`] for a virtual architecture, or if the options requested LTO-IR or OptiX-IR.
    #[doc(alias = "nvrtcGetCUBIN")]
    pub fn cubin(&self) -> Result<Vec<u8>, NvrtcError> {
        let reason = if self.arch.is_some_and(Arch::is_real) {
            "the options request LTO-IR or OptiX-IR, which replaces the cubin"
        } else {
            "compile for a real architecture, such as `Arch::sm(90)`"
        };
        some("nvrtcGetCUBIN", self.raw.cubin()?, reason)
    }

    /// Returns the intermediate code for link-time optimisation.
    ///
    /// # Errors
    /// [`NvrtcError::NoOutput`] without [`CompileOptions::lto`](crate::CompileOptions::lto);
    /// [`NvrtcError::NeedsNvrtc`] before 12.0.
    #[doc(alias = "nvrtcGetLTOIR")]
    pub fn lto_ir(&self) -> Result<Vec<u8>, NvrtcError> {
        some("nvrtcGetLTOIR", self.raw.lto_ir()?, "request it with `CompileOptions::lto(true)`")
    }

    /// Returns the intermediate code for OptiX.
    ///
    /// # Errors
    /// [`NvrtcError::NoOutput`] without [`CompileOptions::optix_ir`](crate::CompileOptions::optix_ir);
    /// [`NvrtcError::NeedsNvrtc`] before 12.0.
    #[doc(alias = "nvrtcGetOptiXIR")]
    pub fn optix_ir(&self) -> Result<Vec<u8>, NvrtcError> {
        let reason = "request it with `CompileOptions::optix_ir(true)`";
        some("nvrtcGetOptiXIR", self.raw.optix_ir()?, reason)
    }

    /// Returns the name in the PTX for an expression that was passed to
    /// [`Program::name_expression`](crate::Program::name_expression).
    ///
    /// # Errors
    /// `NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID` if the expression was not passed;
    /// [`NvrtcError::InvalidArgument`] if it contains a NUL.
    #[doc(alias = "nvrtcGetLoweredName")]
    pub fn lowered_name(&self, name_expression: &str) -> Result<&str, NvrtcError> {
        const CALL: &str = "nvrtcGetLoweredName";
        let name = self.raw.lowered_name(&expression(CALL, name_expression)?)?;
        name.to_str()
            .map_err(|_| NvrtcError::invalid(CALL, "the name is not UTF-8: use another name"))
    }
}

fn some(call: &'static str, bytes: Vec<u8>, reason: &'static str) -> Result<Vec<u8>, NvrtcError> {
    if bytes.is_empty() { Err(NvrtcError::NoOutput { call, reason }) } else { Ok(bytes) }
}
