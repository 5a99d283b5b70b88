//! The mend of `ui-tests/push_while_a_profiler_lives.rs`. Drop it before the push, or push first.

use cuscope::{Context, PushedGuard, Result};

fn right(gpu: &mut PushedGuard<'_>, other: &Context) -> Result {
    let profiling = gpu.profiling()?;
    drop(profiling);
    gpu.push(other)?.synchronize()
}

fn main() {}
