//! The driver itself: initialisation and version.
#![allow(unsafe_code, reason = "calls the driver, and registers a handler of forks")]

pub(crate) mod capture_mode;
pub(crate) mod fork;
pub(crate) mod release;

use crate::call::{answer, name};
use crate::error::{Error, Result};
use crate::sync::atomic::{AtomicBool, Ordering};
use crate::sync::{self, shared_static};
use std::fmt;

/// The oldest driver that has every function that cuscope calls without looking it up.
const OLDEST: DriverVersion = DriverVersion { major: 12, minor: 0 };

/// Initialises the driver for this process.
///
/// The functions of [`Device`](crate::Device) do this themselves; call it to choose the moment. Further calls
/// are harmless and, after a success, free.
///
/// # Errors
/// With the feature `load`, [`Error::NoDriver`], and [`Error::NeedsDriver`] with a driver older than CUDA 12.0;
/// `CUDA_ERROR_NO_DEVICE` on a machine without a GPU; `CUDA_ERROR_NOT_INITIALIZED` in the child of a fork
/// ([F20](crate::driver_facts#F20)); other errors if the driver is not usable.
#[doc(alias = "cuInit")]
pub fn init() -> Result {
    shared_static! { static DONE: AtomicBool = AtomicBool::new(false); }
    // In the child of a fork the driver is called, to get the error that it returns there.
    if DONE.load(Ordering::Acquire) && !fork::is_child() {
        release::catch_up();
        return Ok(());
    }
    ffi::load()?;
    // With an older driver, a program that is linked does not start.
    if cfg!(feature = "load") {
        new_enough(driver_version()?)?;
    }
    sync::before_call();
    // SAFETY: `cuInit` has no obligations; it may be called again and from any thread (F2).
    unsafe { answer!(cuInit(0)) }.check()?;
    watch();
    DONE.store(true, Ordering::Release);
    Ok(())
}

/// Refuses a driver that lacks functions.
fn new_enough(version: DriverVersion) -> Result {
    if version < OLDEST {
        let since = 1000 * OLDEST.major + 10 * OLDEST.minor;
        return Err(Error::NeedsDriver { call: name!(cuInit), since });
    }
    Ok(())
}

/// Detects forks from now on. One call is enough.
fn watch() {
    #[cfg(unix)]
    {
        extern "C" fn in_child() {
            fork::happened();
            capture_mode::forked();
        }
        static WATCHED: std::sync::Once = std::sync::Once::new();
        WATCHED.call_once(|| {
            // SAFETY: the handler stores to an atomic and to a thread-local without a destructor, which is
            // safe in a forked child. It is never
            // unregistered; if there is no memory for it, forks go unnoticed, as without it.
            let _ = unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
        });
    }
}

/// A version of CUDA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DriverVersion {
    /// The major version: 13 for 13.0.
    pub major: u32,
    /// The minor version: 0 for 13.0.
    pub minor: u32,
}

impl DriverVersion {
    /// Returns the version that CUDA numbers so: 13050 is 13.5.
    fn numbered(version: u32) -> Self {
        DriverVersion { major: version / 1000, minor: version % 1000 / 10 }
    }
}

impl fmt::Display for DriverVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// Returns the version of CUDA that the driver supports. Does not need [`init`].
///
/// # Errors
/// [`Error::NoDriver`] with the feature `load`; a driver error.
#[doc(alias = "cuDriverGetVersion")]
#[doc(alias = "cudaDriverGetVersion")]
pub fn driver_version() -> Result<DriverVersion> {
    let mut version = 0;
    sync::before_call();
    // SAFETY: writes one `c_int` to `version`, which is valid for it.
    unsafe { answer!(cuDriverGetVersion(&raw mut version)) }.check()?;
    Ok(DriverVersion::numbered(version.unsigned_abs()))
}

/// Returns the driver of this build: `"native"` (libcuda) or `"software"`.
#[must_use]
pub const fn driver_kind() -> &'static str {
    ffi::DRIVER
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_has_the_number_of_cuda() {
        let version = |major, minor| DriverVersion { major, minor };
        assert_eq!(DriverVersion::numbered(13050), version(13, 5));
        assert_eq!(DriverVersion::numbered(12000), version(12, 0));
        assert_eq!(DriverVersion::numbered(11080), version(11, 8));
    }

    #[test]
    fn a_driver_before_the_oldest_is_refused() {
        let version = |major, minor| DriverVersion { major, minor };
        let refused = Error::NeedsDriver { call: name!(cuInit), since: 12000 };
        assert_eq!(new_enough(version(11, 8)), Err(refused));
        assert_eq!((new_enough(version(12, 0)), new_enough(version(13, 0))), (Ok(()), Ok(())));
    }
}
