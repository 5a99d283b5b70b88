//! The mend of `ui-tests/registered_slice_leaves_closure.rs`. Use it inside, and the slice itself afterwards.

use cuscope::{PushedGuard, Result};

fn right<'a>(gpu: &PushedGuard<'_>, data: &'a mut [f32]) -> Result<&'a mut [f32]> {
    gpu.with_registered(data, |data| {
        data[0] = 1.0;
        Ok(())
    })?;
    Ok(data)
}

fn main() {}
