//! Under another guard the same default stream would be one of another context: ask that guard.

use cuscope::{Context, PushedGuard, Result};

fn misuse(gpu: &mut PushedGuard<'_>, other: &Context) -> Result {
    let on = gpu.on_legacy_default();
    let _inner = gpu.push(other)?;
    on.synchronize()
}

fn main() {}
