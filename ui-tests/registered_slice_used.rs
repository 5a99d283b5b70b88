//! A slice that is registered is used through what registered it, until that is dropped.

use cuscope::{PushedGuard, Result};

fn misuse(gpu: &PushedGuard<'_>, mut data: Vec<f32>) -> Result {
    let _registered = unsafe { gpu.register(&mut data) }?;
    data[0] = 1.0;
    Ok(())
}

fn main() {}
