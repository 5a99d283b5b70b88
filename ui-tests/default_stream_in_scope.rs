//! A scope waits for its streams at its end, whatever is current then.
//!
//! **Why:** A default stream stands for the context that is current at the moment of the call. At the end of the
//! scope that may be another one, and the wait would be for the wrong work (F31). It is a part of `right-context`.
//!
//! **Mend:** Create a stream: `gpu.stream()?`. See `ui-tests/mended/default_stream_in_scope.rs`.
//!
//! **Mistake** (E0308):

use cuscope::{PushedGuard, Result};

fn misuse(gpu: &PushedGuard<'_>) -> Result {
    gpu.scope(|s| s.on(&gpu.on_legacy_default()).synchronize())
}

fn main() {}
