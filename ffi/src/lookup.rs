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

/// Whether a driver is there, looking for it if that was not done. Always, in a build without the feature
/// `load`: such a program does not start otherwise. What was found, or not, is so until the program ends.
///
/// # Errors
/// The loader finds no driver.
pub fn load() -> Result<(), NotLoaded> {
    #[cfg(all(cuda_driver = "native", feature = "load"))]
    if native::library().is_none() {
        return Err(NotLoaded(()));
    }
    Ok(())
}

/// No driver is on this machine, or none where the loader looks.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct NotLoaded(());

/// With the message, which a `main` that returns the error prints.
impl fmt::Debug for NotLoaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NotLoaded({self})")
    }
}

impl fmt::Display for NotLoaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let library = if cfg!(windows) { "nvcuda.dll" } else { "libcuda.so.1" };
        write!(f, "the loader cannot find {library}: install NVIDIA's driver")?;
        if cfg!(not(windows)) {
            write!(
                f,
                "; in a container, start it with NVIDIA's container toolkit (`--gpus all`); if the driver is in a folder \
                 of its own, add that to LD_LIBRARY_PATH"
            )?;
        }
        Ok(())
    }
}

impl core::error::Error for NotLoaded {}

#[cfg(all(cuda_driver = "native", feature = "load"))]
pub(crate) use native::not_found;
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
    use core::ptr::{self, NonNull};

    pub(crate) const fn new() -> Slot {
        Slot(AtomicPtr::new(UNKNOWN))
    }

    /// The address of a function of the driver; null if there is none.
    pub(crate) fn find(name: &'static str) -> *mut c_void {
        assert!(name.ends_with('\0'), "the name ends in NUL");
        let Some(library) = library() else { return ptr::null_mut() };
        system::find(library, name)
    }

    /// The driver, by its name: the one that the program is linked with if it is loaded, as it is
    /// wherever a function of it is called. It is never unloaded.
    pub(crate) fn library() -> Option<NonNull<c_void>> {
        static LIBRARY: Slot = new();
        LIBRARY.get(system::open)
    }

    /// What a function answers that was not found.
    #[cfg(feature = "load")]
    #[cold]
    pub(crate) fn not_found() -> crate::CUresult {
        if library().is_none() {
            crate::CUDA_ERROR_SHARED_OBJECT_INIT_FAILED
        } else {
            crate::CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND
        }
    }

    /// The loader.
    #[cfg(unix)]
    #[allow(unsafe_code, reason = "dlopen and dlsym")]
    mod system {
        use super::*;

        pub(super) fn open() -> *mut c_void {
            // SAFETY: a string that ends in NUL; libcuda's initialisers run as for a linked library
            unsafe { libc::dlopen(c"libcuda.so.1".as_ptr(), libc::RTLD_LAZY) }
        }

        /// Finds a function by its name, which ends in NUL.
        pub(super) fn find(library: NonNull<c_void>, name: &'static str) -> *mut c_void {
            // SAFETY: a library that is loaded, and a string that ends in NUL, as `find` has asserted
            unsafe { libc::dlsym(library.as_ptr(), name.as_ptr().cast()) }
        }
    }

    /// The loader.
    #[cfg(windows)]
    #[allow(unsafe_code, reason = "LoadLibraryExA and GetProcAddress")]
    mod system {
        use super::*;
        use core::ffi::{c_char, c_ulong};

        /// Look in the system's folder only, where NVIDIA's installer puts the driver: not in the program's, nor in the
        /// current one.
        const LOAD_LIBRARY_SEARCH_SYSTEM32: c_ulong = 0x800;

        #[link(name = "kernel32", kind = "raw-dylib")]
        unsafe extern "system" {
            fn LoadLibraryExA(
                name: *const c_char,
                file: *mut c_void,
                flags: c_ulong,
            ) -> *mut c_void;
            fn GetProcAddress(library: *mut c_void, name: *const c_char) -> *mut c_void;
        }

        pub(super) fn open() -> *mut c_void {
            // SAFETY: a string that ends in NUL, no file, and a flag that Windows has since 8.1; the initialisers of the
            // driver run as for a linked library
            unsafe {
                LoadLibraryExA(
                    c"nvcuda.dll".as_ptr(),
                    ptr::null_mut(),
                    LOAD_LIBRARY_SEARCH_SYSTEM32,
                )
            }
        }

        /// Finds a function by its name, which ends in NUL.
        pub(super) fn find(library: NonNull<c_void>, name: &'static str) -> *mut c_void {
            // SAFETY: a library that is loaded, and a string that ends in NUL, as `find` has asserted
            unsafe { GetProcAddress(library.as_ptr(), name.as_ptr().cast()) }
        }
    }

    /// There is no driver to look in: only documentation is built here.
    #[cfg(not(any(unix, windows)))]
    mod system {
        use super::*;

        pub(super) fn open() -> *mut c_void {
            ptr::null_mut()
        }

        pub(super) fn find(_: NonNull<c_void>, _: &'static str) -> *mut c_void {
            ptr::null_mut()
        }
    }
}
