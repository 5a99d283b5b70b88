//! A registration that is leaked goes on when its memory is gone (F168), so `register` is unsafe.
//! `with_registered` and `pinned` are not.

use cuscope::{PushedGuard, Result};

fn misuse(gpu: &PushedGuard<'_>, data: &mut [f32]) -> Result {
    let registered = gpu.register(data)?;
    std::mem::forget(registered);
    Ok(())
}

fn main() {}
