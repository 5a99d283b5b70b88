//! Under another guard the same default stream would be one of another context.
//!
//! **Why:** `synchronize` would wait for the work of the inner context. The program would then read results that the
//! outer context is still computing (F31). It is a part of `right-context`.
//!
//! **Mend:** Ask that guard. See `ui-tests/mended/default_stream_under_another_guard.rs`.
//!
//! **Mistake** (E0502):

use cuscope::{Context, PushedGuard, Result};

fn misuse(gpu: &mut PushedGuard<'_>, other: &Context) -> Result {
    let on = gpu.on_legacy_default();
    let _inner = gpu.push(other)?;
    on.synchronize()
}

fn main() {}
