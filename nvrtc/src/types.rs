//! The types of `nvrtc.h`.

use core::ffi::{c_int, c_uint, c_void};

/// Hands the codes of `nvrtcResult` to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! nvrtc_results {
    ($with:path) => {
        $with! {
            /// The call succeeded.
            NVRTC_SUCCESS = 0,
            /// Not enough memory of the host.
            NVRTC_ERROR_OUT_OF_MEMORY = 1,
            /// The program could not be created.
            NVRTC_ERROR_PROGRAM_CREATION_FAILURE = 2,
            /// An argument is null, or a number that is not acceptable.
            NVRTC_ERROR_INVALID_INPUT = 3,
            /// The handle is not one of a program.
            NVRTC_ERROR_INVALID_PROGRAM = 4,
            /// An option is unknown, or its value is.
            NVRTC_ERROR_INVALID_OPTION = 5,
            /// The source did not compile.
            NVRTC_ERROR_COMPILATION = 6,
            /// The library of built-in headers could not be opened or used.
            NVRTC_ERROR_BUILTIN_OPERATION_FAILURE = 7,
            /// A name expression came after compilation.
            NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION = 8,
            /// A lowered name was asked for before compilation.
            NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION = 9,
            /// The name expression was not given before compilation.
            NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID = 10,
            /// A defect of the compiler.
            NVRTC_ERROR_INTERNAL_ERROR = 11,
            /// The file for the times of compilation could not be written.
            NVRTC_ERROR_TIME_FILE_WRITE_FAILED = 12,
            /// No precompiled header was asked for, or the compiler chose to make none.
            NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED = 13,
            /// The memory for precompiled headers is too small.
            NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED = 14,
            /// The precompiled header could not be made.
            NVRTC_ERROR_PCH_CREATE = 15,
            /// The callback ended the compilation.
            NVRTC_ERROR_CANCELLED = 16,
            /// The trace of times could not be written.
            NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED = 17,
            /// Another process is installing the same headers.
            NVRTC_ERROR_BUSY = 18,
        }
    };
}

/// The code that a function of NVRTC returns. Newer ones may return codes without a name here.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct nvrtcResult(pub c_uint);

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $number:literal,)*) => {
        $($(#[$doc])* pub const $name: nvrtcResult = nvrtcResult($number);)*

        impl nvrtcResult {
            /// The name of the code in `nvrtc.h`, if it has one here.
            #[must_use]
            pub const fn name(self) -> Option<&'static str> {
                match self {
                    $($name => Some(stringify!($name)),)*
                    NVRTC_NOT_LOADED => Some("NVRTC_NOT_LOADED"),
                    _ => None,
                }
            }
        }
    };
}
nvrtc_results!(codes);

/// Not a code of NVRTC: libnvrtc is looked up at run time, and is not on this machine. What
/// [`load`](crate::load) returns says more.
pub const NVRTC_NOT_LOADED: nvrtcResult = nvrtcResult(0xC05C_0000);

/// The target of the handle of the same name; known to NVRTC alone.
#[repr(C)]
pub struct _nvrtcProgram {
    _opaque: [u8; 0],
    _nvrtc_owned: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
}

/// A program: source, and what became of it.
pub type nvrtcProgram = *mut _nvrtcProgram;

/// For `nvrtcSetFlowCallback`: 1 ends the compilation, 0 goes on. The first argument is the payload,
/// the second is null. It may be called by any thread, and must not call NVRTC.
pub type nvrtcFlowCallback = Option<unsafe extern "C" fn(*mut c_void, *mut c_void) -> c_int>;

/// For `nvrtcInstallBundledHeaders`: headers of this version that are there already stay. The default.
pub const NVRTC_INSTALL_HEADERS_SKIP_IF_EXISTS: c_uint = 0;
/// For `nvrtcInstallBundledHeaders`: what is in the folder is removed first.
pub const NVRTC_INSTALL_HEADERS_FORCE_OVERWRITE: c_uint = 1;
/// For `nvrtcInstallBundledHeaders`: `NVRTC_ERROR_BUSY` instead of waiting for another process.
pub const NVRTC_INSTALL_HEADERS_NO_WAIT: c_uint = 2;

/// The headers in libnvrtc-builtins, from `nvrtcGetBundledHeadersInfo`.
#[repr(C)]
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct nvrtcBundledHeadersInfo {
    /// 1 if there are any.
    pub available: c_int,
    /// Their size in the library, in bytes.
    pub compressedSize: usize,
    /// Their size when installed, in bytes.
    pub uncompressedSize: usize,
    /// The version of CUDA that they are of: 13 of 13.5.
    pub cudaVersionMajor: c_int,
    /// The version of CUDA that they are of: 5 of 13.5.
    pub cudaVersionMinor: c_int,
    /// How many there are.
    pub numFiles: c_uint,
}

/// The answer of a function where there is no library to call.
#[cfg(not(feature = "link"))]
pub(crate) trait WithoutLibrary {
    const ANSWER: Self;
}

#[cfg(not(feature = "link"))]
impl WithoutLibrary for nvrtcResult {
    const ANSWER: Self = NVRTC_NOT_LOADED;
}

#[cfg(not(feature = "link"))]
impl WithoutLibrary for *const core::ffi::c_char {
    const ANSWER: Self = c"libnvrtc is not loaded".as_ptr();
}
