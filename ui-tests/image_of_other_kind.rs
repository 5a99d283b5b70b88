//! An image of one kind is not one of another, and bytes are none until they were checked.

use cuscope::{Cubin, Ptx, PushedGuard, Result};

fn load(gpu: &PushedGuard<'_>, ptx: &Ptx, bytes: &[u8]) -> Result {
    let cubin: &Cubin = ptx;
    gpu.load(cubin)?;
    gpu.load(bytes)?;
    Ok(())
}

fn main() {}
