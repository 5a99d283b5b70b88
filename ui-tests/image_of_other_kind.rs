//! An image of one kind is not one of another, and bytes are none until they were checked.
//!
//! **Why:** A cubin or fatbin that is truncated, or damaged in its structure, does not reach the driver. Every
//! table, section, symbol, relocation, note and entry lies where another one says, no two sections share bytes, and
//! the image contains only what compilers write. cuscope does not check code and values, and an image that was made
//! to pass is a known hole. This is `image-whole`.
//!
//! **Mend:** Check bytes by the constructor of their kind, and pass the image as it is. See
//! `ui-tests/mended/image_of_other_kind.rs`.
//!
//! **Mistake** (E0277, E0308):

use cuscope::{Cubin, Ptx, PushedGuard, Result};

fn load(gpu: &PushedGuard<'_>, ptx: &Ptx, bytes: &[u8]) -> Result {
    let cubin: &Cubin = ptx;
    gpu.load(cubin)?;
    gpu.load(bytes)?;
    Ok(())
}

fn main() {}
