//! The mend of `ui-tests/registered_slice_used.rs`. Use what registered it.

use cuscope::{PushedGuard, Result};

fn right(gpu: &PushedGuard<'_>, mut data: Vec<f32>) -> Result {
    let mut registered = unsafe { gpu.register(&mut data) }?;
    registered[0] = 1.0;
    Ok(())
}

fn main() {}
