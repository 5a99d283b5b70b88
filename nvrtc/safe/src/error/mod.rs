//! Errors of NVRTC, and how to fix them.

mod log;

use crate::ffi;
use ffi::nvrtcResult;
use std::fmt;

pub(crate) use log::PTX;
pub use log::{CompileLog, Diagnostic, Severity};

/// An error of NVRTC. Every message names the call and says how to fix the program.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NvrtcError {
    /// NVRTC refused the source or an option. Contains the compiler's log.
    #[error(transparent)]
    Compile(#[from] Box<CompileError>),
    /// NVRTC refused another call.
    #[error("{}", describe(call, *code))]
    Call {
        /// The function of NVRTC that failed.
        call: &'static str,
        /// The code, which may be one that this crate has no name for.
        code: nvrtcResult,
    },
    /// An argument that NVRTC cannot take.
    #[error("`{call}` was not called: {reason}")]
    InvalidArgument {
        /// The function of NVRTC that was not called.
        call: &'static str,
        /// The mistake and how to fix it.
        reason: String,
    },
    /// The options did not ask for this output.
    #[error("`{call}` has no output: {reason}")]
    NoOutput {
        /// The function of NVRTC that has no output.
        call: &'static str,
        /// How to get it.
        reason: &'static str,
    },
    /// This NVRTC does not have the function.
    #[error("`{call}` was not called: {needs}; use another NVRTC", call = needs.function)]
    NeedsNvrtc {
        /// The function, and the versions that have it.
        needs: ffi::NeedsNvrtc,
    },
    /// The program looks for libnvrtc at run time, and does not find it.
    #[error("`{call}` was not called: {why}")]
    NotLoaded {
        /// The function of NVRTC that was not called.
        call: &'static str,
        /// The places where it looked.
        why: ffi::NotLoaded,
    },
}

impl NvrtcError {
    pub(crate) fn invalid(call: &'static str, reason: impl Into<String>) -> Self {
        NvrtcError::InvalidArgument { call, reason: reason.into() }
    }

    /// Returns the error code, if NVRTC returned one.
    #[must_use]
    pub fn code(&self) -> Option<nvrtcResult> {
        match self {
            NvrtcError::Compile(e) => Some(e.code),
            NvrtcError::Call { code, .. } => Some(*code),
            _ => None,
        }
    }

    /// Returns the function of NVRTC that failed or was not called.
    #[must_use]
    pub fn call(&self) -> &'static str {
        match self {
            NvrtcError::Compile(_) => COMPILE,
            NvrtcError::NeedsNvrtc { needs } => needs.function,
            NvrtcError::Call { call, .. }
            | NvrtcError::InvalidArgument { call, .. }
            | NvrtcError::NoOutput { call, .. }
            | NvrtcError::NotLoaded { call, .. } => call,
        }
    }

    /// Returns the compiler's log, if it compiled.
    #[must_use]
    pub fn log(&self) -> Option<&CompileLog> {
        match self {
            NvrtcError::Compile(e) => Some(&e.log),
            _ => None,
        }
    }
}

/// Writes the message behind the name of the variant for `{:?}`, which a `main` that returns the error shows, and the fields
/// for `{:#?}`.
impl fmt::Debug for NvrtcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, fields): (_, Vec<(_, &dyn fmt::Debug)>) = match self {
            NvrtcError::Compile(e) => ("Compile", vec![("error", e)]),
            NvrtcError::Call { call, code } => ("Call", vec![("call", call), ("code", code)]),
            NvrtcError::InvalidArgument { call, reason } => {
                ("InvalidArgument", vec![("call", call), ("reason", reason)])
            }
            NvrtcError::NoOutput { call, reason } => {
                ("NoOutput", vec![("call", call), ("reason", reason)])
            }
            NvrtcError::NeedsNvrtc { needs } => ("NeedsNvrtc", vec![("needs", needs)]),
            NvrtcError::NotLoaded { call, why } => {
                ("NotLoaded", vec![("call", call), ("why", why)])
            }
        };
        if !f.alternate() {
            return write!(f, "{name}: {self}");
        }
        let mut shown = f.debug_struct(name);
        for (name, value) in fields {
            shown.field(name, value);
        }
        shown.finish()
    }
}

impl From<ffi::NeedsNvrtc> for NvrtcError {
    fn from(needs: ffi::NeedsNvrtc) -> Self {
        NvrtcError::NeedsNvrtc { needs }
    }
}

pub(crate) const COMPILE: &str = "nvrtcCompileProgram";

/// A program did not compile. The message contains the log.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{}{}{log}", describe(COMPILE, *code), with(options), if log.is_empty() { "" } else { "\n" })]
pub struct CompileError {
    code: nvrtcResult,
    log: CompileLog,
    /// The options, if NVRTC refused them.
    options: String,
}

impl CompileError {
    pub(crate) fn new(code: nvrtcResult, log: CompileLog, options: String) -> Self {
        CompileError { code, log, options }
    }

    /// Returns NVRTC's error code.
    #[must_use]
    pub fn code(&self) -> nvrtcResult {
        self.code
    }

    /// Returns the compiler's log, with the source lines of the messages.
    #[must_use]
    pub fn log(&self) -> &CompileLog {
        &self.log
    }
}

/// Writes the message for `{:?}`, and the fields for `{:#?}`.
impl fmt::Debug for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !f.alternate() {
            return write!(f, "CompileError: {self}");
        }
        let CompileError { code, log, options } = self;
        let mut shown = f.debug_struct("CompileError");
        shown.field("code", code).field("log", log).field("options", options).finish()
    }
}

fn with(options: &str) -> String {
    if options.is_empty() { String::new() } else { format!(" ({options})") }
}

/// Converts the code of a call to a result.
pub(crate) fn check(call: &'static str, code: nvrtcResult) -> Result<(), NvrtcError> {
    if code == ffi::NVRTC_SUCCESS { Ok(()) } else { Err(NvrtcError::Call { call, code }) }
}

/// Describes a code.
fn describe(call: &str, code: nvrtcResult) -> String {
    match code.name() {
        Some(name) => format!("`{call}` failed: {name} ({}); {}", code.0, advice(code)),
        None => format!(
            "`{call}` failed: code {}, which this version of cuscope-nvrtc does not know; see the NVRTC \
             manual, \"nvrtcResult\"",
            code.0
        ),
    }
}

/// Returns one sentence of advice for the reader of the message.
fn advice(code: nvrtcResult) -> &'static str {
    match code {
        ffi::NVRTC_ERROR_OUT_OF_MEMORY => "free host memory, or compile a smaller program",
        ffi::NVRTC_ERROR_PROGRAM_CREATION_FAILURE => {
            "check the names of the program and its headers"
        }
        ffi::NVRTC_ERROR_INVALID_OPTION => {
            "the log names the option: check its spelling and its value, and whether this NVRTC \
             supports it"
        }
        ffi::NVRTC_ERROR_COMPILATION => "fix the lines that the log names",
        ffi::NVRTC_ERROR_BUILTIN_OPERATION_FAILURE => {
            "the loader must find libnvrtc-builtins of the same version: add the folder of \
             libnvrtc to LD_LIBRARY_PATH"
        }
        ffi::NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID => {
            "pass the expression to `Program::name_expression` with the same spelling before you \
             compile"
        }
        ffi::NVRTC_ERROR_INTERNAL_ERROR => {
            "the compiler has a bug, or its stack limit is too low: raise the limit, or try \
             another NVRTC"
        }
        ffi::NVRTC_ERROR_TIME_FILE_WRITE_FAILED | ffi::NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED => {
            "check that the file for the compile times is writable"
        }
        ffi::NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED => "request a precompiled header with an option",
        ffi::NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED => {
            "give precompiled headers more memory with `nvrtcSetPCHHeapSize`"
        }
        ffi::NVRTC_ERROR_PCH_CREATE => "compile without a precompiled header",
        ffi::NVRTC_ERROR_CANCELLED => "the program's own callback ended the compilation",
        ffi::NVRTC_ERROR_BUSY => "wait until the other process has installed the headers",
        ffi::NVRTC_NOT_LOADED => "install NVRTC, and add its folder to LD_LIBRARY_PATH",
        // Only a mistake of this crate, or foreign code that holds its handles, can cause the others.
        _ => "this is a bug: please report it",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_name_and_advice() {
        let mut named = 0;
        for code in (0..32).map(nvrtcResult).chain([ffi::NVRTC_NOT_LOADED]) {
            if code == ffi::NVRTC_SUCCESS {
                assert_eq!(check("nvrtcVersion", code), Ok(()));
                continue;
            }
            let error = check("nvrtcVersion", code).unwrap_err();
            assert_eq!((error.call(), error.code()), ("nvrtcVersion", Some(code)));
            let text = error.to_string();
            assert!(text.starts_with("`nvrtcVersion` failed: "), "{text}");
            assert!(text.contains(&code.0.to_string()), "{text}");
            if let Some(name) = code.name() {
                named += 1;
                assert!(text.contains(name) && text.contains(advice(code)), "{text}");
            }
        }
        assert_eq!(named, 19);
    }

    /// `main` prints this.
    #[test]
    fn debug_has_the_message_and_its_long_form_the_fields() {
        let error = NvrtcError::invalid("nvrtcCreateProgram", "no NUL");
        assert_eq!(format!("{error:?}"), format!("InvalidArgument: {error}"));
        assert!(format!("{error:#?}").contains("reason: \"no NUL\""), "{error:#?}");
        let refused = CompileError::new(nvrtcResult(6), CompileLog::default(), String::new());
        assert_eq!(format!("{refused:?}"), format!("CompileError: {refused}"));
        assert!(format!("{refused:#?}").contains("options: \"\""), "{refused:#?}");
        let error = NvrtcError::from(Box::new(refused));
        assert_eq!(format!("{error:?}"), format!("Compile: {error}"));
    }

    #[test]
    fn errors_that_no_user_can_cause_ask_for_a_report() {
        for code in [
            ffi::NVRTC_ERROR_INVALID_INPUT,
            ffi::NVRTC_ERROR_INVALID_PROGRAM,
            ffi::NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION,
            ffi::NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION,
        ] {
            assert!(advice(code).contains("report"), "{code:?}");
        }
    }

    #[test]
    fn an_error_is_small() {
        assert!(size_of::<NvrtcError>() <= 56, "{}", size_of::<NvrtcError>());
    }
}
