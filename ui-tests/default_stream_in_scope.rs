//! A scope waits for its streams at its end, whatever is current then.
//!
//! **Why:** A call that acts on the current context acts on the guard's context, or cuscope does not make the call.
//! This is `right-context`.
//!
//! **Mend:** Create a stream: `gpu.stream()?`. See `ui-tests/mended/default_stream_in_scope.rs`.
//!
//! **Mistake** (E0308):

use cuscope::{PushedGuard, Result};

fn misuse(gpu: &PushedGuard<'_>) -> Result {
    gpu.scope(|s| s.on(&gpu.on_legacy_default()).synchronize())
}

fn main() {}
