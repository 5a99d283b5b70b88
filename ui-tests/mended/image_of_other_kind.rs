//! The mend of `ui-tests/image_of_other_kind.rs`. Check bytes by the constructor of their kind, and pass the image
//! as it is.

use cuscope::{Cubin, Ptx, PushedGuard, Result};

fn load(gpu: &PushedGuard<'_>, ptx: &Ptx, cubin: &Cubin) -> Result {
    gpu.load(ptx)?;
    gpu.load(cubin)?;
    Ok(())
}

fn main() {}
