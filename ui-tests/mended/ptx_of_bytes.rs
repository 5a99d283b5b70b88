//! The mend of `ui-tests/ptx_of_bytes.rs`. Write `include_str!("kernel.ptx")`.

use cuscope::{PushedGuard, Result};

fn right(gpu: &PushedGuard<'_>, image: &str) -> Result {
    gpu.load_ptx(image)?;
    Ok(())
}

fn main() {}
