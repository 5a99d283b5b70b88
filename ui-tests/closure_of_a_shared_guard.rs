//! `Context::with` lends the guard exclusively, so that its closure can push.
//!
//! **Why:** A guard cannot be used while another guard lies on it. This is `covered-unusable`.
//!
//! **Mend:** Write `|gpu|`. See `ui-tests/mended/closure_of_a_shared_guard.rs`.
//!
//! **Mistake** (E0631):

use cuscope::{Context, PushedGuard, Result};

fn misuse(context: &Context) -> Result {
    context.with(|gpu: &PushedGuard<'_>| gpu.synchronize())
}

fn main() {}
