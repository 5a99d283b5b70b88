//! Compilation of CUDA C++ at run time, by NVRTC.
//!
//! ```
//! use cuscope::nvrtc::{Arch, CompileOptions, Program};
//!
//! # fn main() -> cuscope::Result {
//! # if cuscope::nvrtc::version().is_err() { return Ok(()); }
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
//! NVRTC is a library of the CUDA toolkit and needs neither a GPU nor a driver. The feature `nvrtc` links the
//! libnvrtc that the build script of `cuscope-nvrtc-sys` finds. With `nvrtc-load` alone the build needs no
//! libnvrtc. The program looks for one when it first compiles, and returns [`NvrtcError::NotLoaded`] if there
//! is none. NVRTC 11.8 and later are supported. If the program runs without cargo, the loader must find
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
mod options;
mod program;
mod raw;

pub use crate::error::nvrtc::{CompileError, CompileLog, Diagnostic, NvrtcError, Severity};
pub use arch::Arch;
pub use compiled::Compiled;
pub use nvrtc_sys as ffi;
pub use options::{CompileOptions, CppStandard};
pub use program::Program;

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
/// is not above [`driver_version`](crate::driver_version).
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

/// Compiles a source to PTX for a device. This is the shortest way if you need neither headers nor templates.
/// The kernels must be `extern "C"`.
///
/// # Errors
/// The errors of [`CompileOptions::for_device`] and [`Program::compile`].
///
/// # Examples
/// ```
/// # use cuscope::{Context, ContextFlags, ContextStack, Device, nvrtc};
/// # fn main() -> cuscope::Result {
/// # if nvrtc::version().is_err() { return Ok(()); }
/// let device = Device::get(0)?;
/// let ptx = nvrtc::compile_ptx(r#"extern "C" __global__ void nothing() {}"#, device)?;
/// # let context = Context::create(device, ContextFlags::default())?;
/// # let mut stack = ContextStack::current_thread()?;
/// # let gpu = stack.push(&context)?;
/// let nothing = gpu.load_ptx(ptx)?.function("nothing")?;
/// # Ok(()) }
/// ```
pub fn compile_ptx(source: &str, device: crate::Device) -> crate::Result<std::ffi::CString> {
    let options = CompileOptions::for_device(device)?;
    Ok(Program::new("program.cu", source).compile(&options)?.ptx()?)
}
