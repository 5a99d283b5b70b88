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
/// The loader finds no driver, or a file of its name that is none.
pub fn load() -> Result<(), NotLoaded> {
    #[cfg(all(cuda_driver = "native", feature = "load"))]
    {
        if native::library().is_none() {
            return Err(NotLoaded(Why::NotOpened));
        }
        // Every driver has these, also one that is too old.
        for name in ["cuInit\0", "cuDriverGetVersion\0"] {
            if native::find(name).is_null() {
                return Err(NotLoaded(Why::Lacks(name)));
            }
        }
    }
    Ok(())
}

/// No driver is on this machine, or none where the loader looks, or what it finds there is no driver.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct NotLoaded(Why);

/// Why there is no driver.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(
    not(all(cuda_driver = "native", feature = "load")),
    allow(dead_code, reason = "then there is one")
)]
enum Why {
    /// The loader did not find it, or did not open what it found.
    NotOpened,
    /// It does not have a function that every driver has, whose name ends in NUL.
    Lacks(&'static str),
}

/// With the message, which a `main` that returns the error prints.
impl fmt::Debug for NotLoaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NotLoaded({self})")
    }
}

impl fmt::Display for NotLoaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let library = if cfg!(windows) { "nvcuda.dll" } else { "libcuda.so.1" };
        if let Why::Lacks(function) = self.0 {
            let function = function.trim_end_matches('\0');
            return write!(
                f,
                "the loader found a {library} without the function `{function}`, which is not NVIDIA's driver: remove it, \
                 or put the folder of the driver before its folder in the library path"
            );
        }
        let mut words = [0; said::MOST];
        let words = said::words(&mut words);
        // The loader's own words if it found none, as glibc and musl write them.
        let is_missing = words.is_empty()
            || words.contains("libcuda.so.1: ") && words.ends_with("No such file or directory");
        if !is_missing {
            return write!(
                f,
                "the loader found {library}, or something of that name, and cannot load it ({words}): {}",
                mend(words)
            );
        }
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

/// How to mend a file that is not loaded for a reason in the loader's words.
fn mend(words: &str) -> &'static str {
    if words.contains("ermission denied") {
        return "make it readable for this user, and the folders above it";
    }
    if words.contains("wrong ELF class") {
        return "it is for another kind of processor; put the folder of the driver for this one before its folder in the \
                library path";
    }
    "it is damaged, or not NVIDIA's driver; install the driver again, or remove the file"
}

#[cfg(test)]
#[test]
fn each_reason_has_its_own_mend() {
    // As glibc writes them. That a user may not read a file is not to be had for one who may read all.
    for (words, mended) in [
        ("libcuda.so.1: cannot open shared object file: Permission denied", "make it readable"),
        ("/opt/lib/libcuda.so.1: wrong ELF class: ELFCLASS32", "another kind of processor"),
        ("/opt/lib/libcuda.so.1: file too short", "it is damaged"),
    ] {
        assert!(mend(words).contains(mended), "{words}");
    }
}

/// The loader's message when it did not open the driver.
mod said {
    use core::sync::atomic::{AtomicU8, Ordering};

    /// The most bytes that are kept.
    pub(super) const MOST: usize = 256;

    /// The words, with zeros after them. Two threads that both look are told the same.
    static WORDS: [AtomicU8; MOST] = [const { AtomicU8::new(0) }; MOST];

    /// Keeps words. Whoever has seen that there is no driver sees them.
    #[cfg(all(cuda_driver = "native", unix))]
    pub(super) fn keep(words: &[u8]) {
        for (place, &byte) in WORDS.iter().zip(words) {
            place.store(byte, Ordering::Relaxed);
        }
    }

    /// Copies the words to a buffer, as far as they are text.
    pub(super) fn words(to: &mut [u8; MOST]) -> &str {
        for (byte, place) in to.iter_mut().zip(&WORDS) {
            *byte = place.load(Ordering::Relaxed);
        }
        let end = to.iter().position(|&byte| byte == 0).unwrap_or(MOST);
        match core::str::from_utf8(&to[..end]) {
            Ok(text) => text,
            Err(error) => core::str::from_utf8(&to[..error.valid_up_to()]).unwrap_or_default(),
        }
    }
}

#[cfg(all(cuda_driver = "native", feature = "load"))]
pub(crate) use native::not_found;
#[cfg(cuda_driver = "native")]
pub(crate) use native::{Slot, find, new};

#[cfg(cuda_driver = "native")]
#[path = "slot.rs"]
mod slot;

/// The types that a slot is made of.
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

    /// The answer for a function that was not found.
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
        use super::super::said;
        use super::*;
        use core::ffi::CStr;

        pub(super) fn open() -> *mut c_void {
            // SAFETY: a string that ends in NUL; libcuda's initialisers run as for a linked library
            let library = unsafe { libc::dlopen(c"libcuda.so.1".as_ptr(), libc::RTLD_LAZY) };
            if library.is_null() {
                // SAFETY: no obligations
                let words = unsafe { libc::dlerror() };
                if !words.is_null() {
                    // SAFETY: a string that ends in NUL, which stays until the next call of this thread
                    said::keep(unsafe { CStr::from_ptr(words) }.to_bytes());
                }
            }
            library
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
