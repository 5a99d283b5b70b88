//! A profiler is started and stopped in one context, so that the guard is covered by no other meanwhile.
//!
//! **Why:** The profiler works on the current context. `stop` would stop the inner one, and the outer one would be
//! recorded on. It is a part of `covered-unusable`.
//!
//! **Mend:** Push first, or stop. See `ui-tests/mended/push_while_profiling.rs`.
//!
//! **Mistake** (E0502):

use cuscope::{Context, PushedGuard, Result};

fn misuse(gpu: &mut PushedGuard<'_>, other: &Context) -> Result {
    let profiling = gpu.profiling()?;
    gpu.push(other)?.synchronize()?;
    profiling.stop()
}

fn main() {}
