//! The linker takes machine code as it is, and dies of some.
//!
//! **Why:** That it is a compiler's is the caller's word. So is where the linked code finds the symbols of the host,
//! and that an image whose length nobody knows is whole. It is a part of `image-whole`.
//!
//! **Mend:** Give the word in an `unsafe` block. See `ui-tests/mended/link_code_without_unsafe.rs`.
//!
//! **Mistake** (E0133):

use cuscope::{Cubin, PushedGuard, Result, jit::JitOptions};
use std::ffi::c_void;

fn misuse(gpu: &PushedGuard<'_>, cubin: &Cubin) -> Result {
    gpu.linker(&JitOptions::new())?.add_code(cubin, "code").map(drop)
}

fn objects(gpu: &PushedGuard<'_>, object: &[u8], archive: &[u8]) -> Result {
    let linker = gpu.linker(&JitOptions::new())?.add_object(object, "object")?;
    linker.add_archive(archive, "archive").map(drop)
}

fn symbols(address: *mut c_void) -> Result<JitOptions> {
    JitOptions::new().global_symbols([("counter", address)])
}

fn of_any_length(gpu: &PushedGuard<'_>, image: *const u8) -> Result {
    gpu.load_unchecked(image, &JitOptions::new()).map(drop)
}

fn main() {}
