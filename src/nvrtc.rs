//! Compilation of CUDA C++ at run time, by NVRTC: the crate `cuscope-nvrtc`, and what it has for a [`Device`].
//!
//! The feature `nvrtc` links libnvrtc. With `nvrtc-load` alone, the program looks for it when it first compiles.
//! A build script that compiles kernels needs no driver: it uses `cuscope-nvrtc` alone.
//!
//! ```
//! use cuscope::nvrtc::{self, Program};
//! # use cuscope::{Context, ContextFlags, ContextStack, Device};
//! # fn main() -> cuscope::Result {
//! # if nvrtc::version().is_err() { return Ok(()); }
//! # let context = Context::create(Device::get(0)?, ContextFlags::default())?;
//! # let mut stack = ContextStack::current_thread()?;
//! # let gpu = stack.push(&context)?;
//! let source = r#"
//!     template <typename T> __global__ void fill(T *x, T value, unsigned n) {
//!         unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
//!         if (i < n) x[i] = value;
//!     }
//! "#;
//! let options = nvrtc::options_for(gpu.device())?.fmad(false);
//! let compiled = Program::new("fill.cu", source).name_expression("fill<float>").compile(&options)?;
//! let fill = gpu.load_ptx(compiled.ptx()?)?.function(compiled.lowered_name("fill<float>")?)?;
//! # Ok(()) }
//! ```

pub use cuscope_nvrtc::*;

use crate::error::{Error, Result};
use crate::{Device, Ptx};

/// Creates options for PTX that runs on `device`: the highest virtual architecture of this NVRTC that is not above
/// the device's.
///
/// # Errors
/// A driver error; [`NvrtcError::NotLoaded`]; [`NvrtcError::InvalidArgument`] if the device is older than every
/// architecture that this NVRTC compiles for.
pub fn options_for(device: Device) -> Result<CompileOptions> {
    Ok(CompileOptions::new().arch(Arch::best_for(capability(device)?)?))
}

/// Creates options for a cubin for exactly this device. NVRTC refuses a device that is newer than itself.
///
/// # Errors
/// A driver error.
pub fn code_options_for(device: Device) -> Result<CompileOptions> {
    Ok(CompileOptions::new().arch(Arch::sm(capability(device)?)))
}

/// Compiles a source to PTX for a device. This is the shortest way if you need neither headers nor templates.
/// The kernels must be `extern "C"`.
///
/// # Errors
/// The errors of [`options_for`], [`Program::compile`] and [`Ptx::new`].
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
/// let nothing = gpu.load(&ptx)?.function("nothing")?;
/// # Ok(()) }
/// ```
pub fn compile_ptx(source: &str, device: Device) -> Result<Ptx> {
    let options = options_for(device)?;
    Ptx::new(Program::new("program.cu", source).compile(&options)?.ptx()?)
}

/// Returns the compute capability of a device: 90 for 9.0.
fn capability(device: Device) -> Result<u32> {
    let (major, minor) = device.compute_capability()?;
    Ok(major.unsigned_abs() * 10 + minor.unsigned_abs())
}

#[diagnostic::do_not_recommend]
impl From<NvrtcError> for Error {
    fn from(error: NvrtcError) -> Self {
        Error::Nvrtc(Box::new(error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_becomes_one_of_the_crate_and_keeps_its_call() {
        let nul = Program::new("a.cu", "\0").compile(&CompileOptions::new()).unwrap_err();
        let text = nul.to_string();
        let error = Error::from(nul);
        assert_eq!(error.call(), Some("nvrtcCreateProgram"));
        assert_eq!(error.code(), None); // not a code of the driver
        assert_eq!(error.to_string(), text);
    }
}
