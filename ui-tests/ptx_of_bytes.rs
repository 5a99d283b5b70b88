//! PTX is text.
//!
//! **Why:** The driver reads bytes up to a NUL, and past the end where there is none. It is a part of `text-ends`.
//!
//! **Mend:** Write `include_str!("kernel.ptx")`. See `ui-tests/mended/ptx_of_bytes.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{PushedGuard, Result};

fn misuse(gpu: &PushedGuard<'_>, image: &[u8]) -> Result {
    gpu.load_ptx(image)?;
    Ok(())
}

fn main() {}
