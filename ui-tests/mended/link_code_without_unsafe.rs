//! The mend of `ui-tests/link_code_without_unsafe.rs`. Give the word in an `unsafe` block.

use cuscope::{Cubin, PushedGuard, Result, jit::JitOptions};
use std::ffi::c_void;

fn right(gpu: &PushedGuard<'_>, cubin: &Cubin) -> Result {
    let linker = gpu.linker(&JitOptions::new())?;
    // SAFETY: a compiler made the code.
    unsafe { linker.add_code(cubin, "code") }.map(drop)
}

fn objects(gpu: &PushedGuard<'_>, object: &[u8], archive: &[u8]) -> Result {
    let linker = gpu.linker(&JitOptions::new())?;
    // SAFETY: a compiler made the object.
    let linker = unsafe { linker.add_object(object, "object") }?;
    // SAFETY: a compiler made the objects in the archive.
    unsafe { linker.add_archive(archive, "archive") }.map(drop)
}

fn symbols(address: *mut c_void) -> Result<JitOptions> {
    // SAFETY: the counter is there for as long as the code is loaded.
    unsafe { JitOptions::new().global_symbols([("counter", address)]) }
}

fn of_any_length(gpu: &PushedGuard<'_>, image: *const u8) -> Result {
    // SAFETY: the image is whole.
    unsafe { gpu.load_unchecked(image, &JitOptions::new()) }.map(drop)
}

fn main() {}
