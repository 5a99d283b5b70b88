//! A profiler covers nothing, and is not covered, until it is dropped, even if it is not used again: it stops in the
//! context of its guard.

use cuscope::{Context, PushedGuard, Result};

fn misuse(gpu: &mut PushedGuard<'_>, other: &Context) -> Result {
    let _profiling = gpu.profiling()?;
    gpu.push(other)?.synchronize()
}

fn main() {}
