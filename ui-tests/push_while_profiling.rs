//! A profiler is started and stopped in one context, so that the guard is covered by no other meanwhile. Push first, or stop.

use cuscope::{Context, PushedGuard, Result};

fn misuse(gpu: &mut PushedGuard<'_>, other: &Context) -> Result {
    let profiling = gpu.profiling()?;
    gpu.push(other)?.synchronize()?;
    profiling.stop()
}

fn main() {}
