//! PTX is text: the driver reads bytes up to a NUL, and past the end where there is none.
//! Write `include_str!("kernel.ptx")`.

use cuscope::{PushedGuard, Result};

fn misuse(gpu: &PushedGuard<'_>, image: &[u8]) -> Result {
    gpu.load_ptx(image)?;
    Ok(())
}

fn main() {}
