//! Compilation of CUDA C++ by NVRTC, at run time or in a build script.
//!
//! ```
//! use cuscope_nvrtc::{Arch, CompileOptions, Program};
//!
//! # fn main() -> Result<(), cuscope_nvrtc::NvrtcError> {
//! # if cuscope_nvrtc::version().is_err() { return Ok(()); }
//! let source = r#"
//!     template <typename T> __global__ void fill(T *x, T value, unsigned n) {
//!         unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
//!         if (i < n) x[i] = value;
//!     }
//! "#;
//! let options = CompileOptions::new().arch(Arch::compute(80)).fmad(false);
//! let compiled = Program::new("fill.cu", source).name_expression("fill<float>").compile(&options)?;
//! let name = compiled.lowered_name("fill<float>")?; // "_Z4fillIfEvPT_S0_j"
//! let ptx = compiled.ptx()?; // for `gpu.load_ptx(ptx)?.function(name)?`
//! # assert!(ptx.to_str().is_ok_and(|text| text.contains(name)));
//! # Ok(()) }
//! ```
//!
//! NVRTC is a library of the CUDA toolkit and needs neither a GPU nor a driver. The feature `link` links the
//! libnvrtc that the build script of `cuscope-nvrtc-sys` finds. Without it, the build needs no libnvrtc. The
//! program looks for one when it first compiles, and returns [`NvrtcError::NotLoaded`] if there is none.
//! `cuscope` contains this crate as `cuscope::nvrtc`, where its feature `nvrtc` links and `nvrtc-load` does not. NVRTC 11.8 and later are supported. If the program runs without cargo, the loader must find
//! libnvrtc and libnvrtc-builtins in the system's folders or in `LD_LIBRARY_PATH`.
//!
//! # Threads
//! Any thread may call every function here at any time. Programs are compiled in parallel, completely from
//! NVRTC 12.3 on, partly before. On Linux, NVRTC raises the stack limit of the whole process while it compiles,
//! unless you pass `CompileOptions::raw("--modify-stack-limit=false")`.
//!
//! # Access to files
//! An `#include` reads files: those of [`CompileOptions::include`], those of the folder in the program's name,
//! and absolute paths. Compile only source that you trust.

mod arch;
mod compiled;
mod error;
mod options;
mod program;
mod raw;

pub use arch::Arch;
pub use compiled::Compiled;
pub use error::{CompileError, CompileLog, Diagnostic, NvrtcError, Severity};
pub use options::{CompileOptions, CppStandard};
pub use program::Program;
pub use raw::on_destroy_error;
pub use sys as ffi;

use std::fmt;

/// The version of an NVRTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NvrtcVersion {
    /// The major version: 13 for 13.0.
    pub major: u32,
    /// The minor version: 0 for 13.0.
    pub minor: u32,
}

impl fmt::Display for NvrtcVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// Returns the version of the NVRTC that this program uses. A driver accepts the PTX of an NVRTC whose version
/// is not above the driver's own (`cuscope::driver_version`).
///
/// # Errors
/// [`NvrtcError::NotLoaded`].
#[doc(alias = "nvrtcVersion")]
pub fn version() -> Result<NvrtcVersion, NvrtcError> {
    raw::version()
}

/// Returns the compute capabilities that this NVRTC compiles for, in rising order: 90 for 9.0.
///
/// # Errors
/// [`NvrtcError::NotLoaded`].
#[doc(alias = "nvrtcGetSupportedArchs")]
#[doc(alias = "nvrtcGetNumSupportedArchs")]
pub fn supported_archs() -> Result<Vec<u32>, NvrtcError> {
    raw::supported_archs()
}
