//! The mend of `ui-tests/register_without_unsafe.rs`. Use `with_registered` or `pinned`, or write an `unsafe` block
//! that says why the registration is dropped.

use cuscope::{PushedGuard, Result};

fn right(gpu: &PushedGuard<'_>, data: &mut [f32]) -> Result {
    gpu.with_registered(data, |data| {
        data[0] = 1.0;
        Ok(())
    })
}

fn main() {}
