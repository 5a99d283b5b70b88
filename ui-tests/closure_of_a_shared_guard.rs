//! `Context::with` lends the guard exclusively, so that its closure can push.
//!
//! **Why:** A push through a shared guard would leave that guard usable, and its next call would act on the context
//! that the closure pushed (F33). It is a part of `covered-unusable`.
//!
//! **Mend:** Write `|gpu|`. See `ui-tests/mended/closure_of_a_shared_guard.rs`.
//!
//! **Mistake** (E0631):

use cuscope::{Context, PushedGuard, Result};

fn misuse(context: &Context) -> Result {
    context.with(|gpu: &PushedGuard<'_>| gpu.synchronize())
}

fn main() {}
