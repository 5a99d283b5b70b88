//! A slice is registered during the closure that it is lent to, and no longer.

use cuscope::{PushedGuard, Result};

fn misuse<'a>(gpu: &PushedGuard<'_>, data: &'a mut [f32]) -> Result<&'a mut [f32]> {
    gpu.with_registered(data, |data| Ok(data))
}

fn main() {}
