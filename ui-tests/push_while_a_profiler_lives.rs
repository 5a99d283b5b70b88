//! A profiler covers nothing, and is not covered, until it is dropped, even if it is not used again.
//!
//! **Why:** It stops in the context of its guard. It is a part of `covered-unusable`.
//!
//! **Mend:** Drop it before the push, or push first. See `ui-tests/mended/push_while_a_profiler_lives.rs`.
//!
//! **Mistake** (E0502):

use cuscope::{Context, PushedGuard, Result};

fn misuse(gpu: &mut PushedGuard<'_>, other: &Context) -> Result {
    let _profiling = gpu.profiling()?;
    gpu.push(other)?.synchronize()
}

fn main() {}
