//! The mend of `ui-tests/push_while_profiling.rs`. Push first, or stop.

use cuscope::{Context, PushedGuard, Result};

fn right(gpu: &mut PushedGuard<'_>, other: &Context) -> Result {
    let profiling = gpu.profiling()?;
    profiling.stop()?;
    gpu.push(other)?.synchronize()
}

fn main() {}
