//! Functions that not every supported driver has: found at run time.

use core::fmt;

/// A function that the driver on this machine does not have.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct NeedsDriver {
    /// Its name: `"cuCtxCreate_v4"`.
    pub function: &'static str,
    /// The version of CUDA that brought it: 1000 x major + 10 x minor.
    pub since: u32,
}

impl fmt::Display for NeedsDriver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NeedsDriver { function, since } = self;
        let (major, minor) = (since / 1000, since % 1000 / 10);
        write!(f, "{function} needs a driver of CUDA {major}.{minor} or later")
    }
}

impl core::error::Error for NeedsDriver {}

#[cfg(cuda_driver = "native")]
pub(crate) use native::{Slot, find, new};

#[cfg(cuda_driver = "native")]
#[path = "slot.rs"]
mod slot;

/// What a slot is made of.
#[cfg(cuda_driver = "native")]
mod sync {
    pub(super) use core::sync::atomic::{AtomicPtr, Ordering};
}

#[cfg(cuda_driver = "native")]
mod native {
    pub(crate) use super::slot::Slot;
    use super::{slot::UNKNOWN, sync::AtomicPtr};
    use core::ffi::c_void;
    use core::ptr;

    pub(crate) const fn new() -> Slot {
        Slot(AtomicPtr::new(UNKNOWN))
    }

    /// `libcuda.so.1` by its name: the one that the program is linked with if it is loaded, as it is
    /// wherever a function of it is called. It is never unloaded.
    #[cfg(unix)]
    #[allow(unsafe_code, reason = "dlopen and dlsym")]
    pub(crate) fn find(name: &'static str) -> *mut c_void {
        assert!(name.ends_with('\0'), "the name ends in NUL");
        // SAFETY: a string that ends in NUL; libcuda's initialisers run as for a linked library
        let library = unsafe { libc::dlopen(c"libcuda.so.1".as_ptr(), libc::RTLD_LAZY) };
        if library.is_null() {
            return ptr::null_mut();
        }
        // SAFETY: a library that is loaded, and a string that ends in NUL by the assertion
        unsafe { libc::dlsym(library, name.as_ptr().cast()) }
    }

    /// There is no driver to look in: only documentation is built here.
    #[cfg(not(unix))]
    pub(crate) fn find(_: &'static str) -> *mut c_void {
        ptr::null_mut()
    }
}
