//! The library, which the executable contains, as a file that programs load.
#![allow(unsafe_code, reason = "the bytes of the library lie between two symbols")]

use std::io;
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::{Path, PathBuf};
use std::{env, fs, process, slice};

// Read when code is generated, not when it is only checked: the library is built then.
core::arch::global_asm!(
    ".section .rodata.cuscope_softcuda_library, \"a\"",
    ".balign 16",
    ".hidden cuscope_softcuda_begin",
    ".hidden cuscope_softcuda_end",
    ".globl cuscope_softcuda_begin",
    ".globl cuscope_softcuda_end",
    "cuscope_softcuda_begin:",
    concat!(".incbin \"", env!("CUSCOPE_SOFTCUDA_LIBRARY"), "\""),
    "cuscope_softcuda_end:",
    ".byte 0",
    ".text",
    options(raw)
);

unsafe extern "C" {
    static cuscope_softcuda_begin: u8;
    static cuscope_softcuda_end: u8;
}

/// The bytes of the library.
fn bytes() -> &'static [u8] {
    let (begin, end) = (&raw const cuscope_softcuda_begin, &raw const cuscope_softcuda_end);
    // SAFETY: the assembly above puts the bytes of a file between the symbols, into memory that nobody writes.
    unsafe { slice::from_raw_parts(begin, end.addr() - begin.addr()) }
}

/// Writes the library to a folder, under the names that programs ask for; the folder may be missing.
pub(crate) fn write(folder: &Path) -> io::Result<()> {
    let told = |error| io::Error::other(format!("{}: {error}", folder.display()));
    let write = || {
        fs::create_dir_all(folder)?;
        fs::write(folder.join("libcuda.so.1"), bytes())?;
        match symlink("libcuda.so.1", folder.join("libcuda.so")) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            done => done,
        }
    };
    write().map_err(told)
}

/// A folder of this process, which goes when it is dropped.
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// A new folder for temporary files, which only this user can write.
    pub(crate) fn new() -> io::Result<Self> {
        let name = |n: u32| format!("cuscope-softcuda-{}-{n}", process::id());
        for n in 0.. {
            let path = env::temp_dir().join(name(n));
            match fs::DirBuilder::new().mode(0o700).create(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && n < 1000 => {}
                Err(error) => return Err(io::Error::other(format!("{}: {error}", path.display()))),
                Ok(()) => return Ok(Self(path)),
            }
        }
        unreachable!("the last number gives an error")
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A failure leaves a few megabytes among the temporary files.
        let _ = fs::remove_dir_all(&self.0);
    }
}
