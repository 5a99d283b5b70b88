//! The mend of `ui-tests/default_stream_under_another_guard.rs`. Ask that guard.

use cuscope::{Context, PushedGuard, Result};

fn right(gpu: &mut PushedGuard<'_>, other: &Context) -> Result {
    let inner = gpu.push(other)?;
    let on = inner.on_legacy_default();
    on.synchronize()
}

fn main() {}
