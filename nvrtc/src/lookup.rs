//! Finding libnvrtc and its functions at run time.

use crate::slot::Slot;
use core::ffi::{CStr, c_void};
use core::{fmt, ptr};

/// The names that the loader is asked for, in this order: the libnvrtc that the program is linked with, or else
/// those of the supported versions.
#[cfg(feature = "link")]
const NAMES: &[&CStr] = &[linked()];
#[cfg(not(feature = "link"))]
const NAMES: &[&CStr] =
    &[c"libnvrtc.so.13", c"libnvrtc.so.12", c"libnvrtc.so.11.2", c"libnvrtc.so"];

/// The SONAME of the library that the build script found.
#[cfg(feature = "link")]
const fn linked() -> &'static CStr {
    match CStr::from_bytes_with_nul(concat!(env!("CUSCOPE_NVRTC_SONAME"), "\0").as_bytes()) {
        Ok(name) => name,
        Err(_) => panic!("a SONAME has no NUL inside"),
    }
}

/// Whether libnvrtc is there, looking for it if that was not done: always, in a build that is linked
/// with it. What was found, or not, is so until the program ends.
///
/// # Errors
/// The loader finds no libnvrtc: the error says what it was asked for.
pub fn load() -> Result<(), NotLoaded> {
    if crate::LINKED || library().is_some() { Ok(()) } else { Err(NotLoaded(())) }
}

/// No libnvrtc is on this machine, or none where the loader looks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct NotLoaded(());

impl fmt::Display for NotLoaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the loader cannot find any of")?;
        for (index, name) in NAMES.iter().enumerate() {
            let comma = if index == 0 { " " } else { ", " };
            write!(f, "{comma}{}", name.to_str().unwrap_or_default())?;
        }
        write!(
            f,
            ": install NVRTC (cuda-nvrtc from the CUDA toolkit, or the wheel nvidia-cuda-nvrtc) "
        )?;
        write!(f, "and add its folder to LD_LIBRARY_PATH")
    }
}

impl core::error::Error for NotLoaded {}

/// A function that this NVRTC does not have.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct NeedsNvrtc {
    /// Its name: `"nvrtcGetLTOIR"`.
    pub function: &'static str,
    /// The version of CUDA that brought it: 1000 x major + 10 x minor.
    pub since: u32,
    /// The version of CUDA that dropped it, if one did.
    pub until: Option<u32>,
}

impl fmt::Display for NeedsNvrtc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = |version: u32| (version / 1000, version % 1000 / 10);
        let (major, minor) = parts(self.since);
        write!(f, "{} needs NVRTC {major}.{minor} or later", self.function)?;
        if let Some((major, minor)) = self.until.map(parts) {
            write!(f, ", before {major}.{minor}")?;
        }
        Ok(())
    }
}

impl core::error::Error for NeedsNvrtc {}

/// The address of a function; null if there is none.
#[cfg(unix)]
#[allow(unsafe_code, reason = "dlsym")]
pub(crate) fn find(name: &'static str) -> *mut c_void {
    assert!(name.ends_with('\0'), "the name ends in NUL");
    let Some(library) = library() else { return ptr::null_mut() };
    // SAFETY: a library that is loaded, and a string that ends in NUL by the assertion
    unsafe { libc::dlsym(library.as_ptr(), name.as_ptr().cast()) }
}

/// libnvrtc: of a program that is linked with it, the one that is loaded. It is never unloaded.
#[cfg(unix)]
#[allow(unsafe_code, reason = "dlopen")]
fn library() -> Option<ptr::NonNull<c_void>> {
    static LIBRARY: Slot = Slot::new();
    LIBRARY.get(|| {
        for name in NAMES {
            // SAFETY: a string that ends in NUL; the library's initialisers run as for a linked one
            let library = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_LAZY) };
            if !library.is_null() {
                return library;
            }
        }
        ptr::null_mut()
    })
}

/// There is no NVRTC to look in: only documentation is built here.
#[cfg(not(unix))]
pub(crate) fn find(_: &'static str) -> *mut c_void {
    ptr::null_mut()
}

#[cfg(not(unix))]
fn library() -> Option<ptr::NonNull<c_void>> {
    static LIBRARY: Slot = Slot::new();
    LIBRARY.get(ptr::null_mut)
}
