//! A scope waits for its streams at its end, whatever is current then: a default stream is not used in one.
//! Create a stream: `gpu.stream()?`.

use cuscope::{PushedGuard, Result};

fn misuse(gpu: &PushedGuard<'_>) -> Result {
    gpu.scope(|s| s.on(&gpu.on_legacy_default()).synchronize())
}

fn main() {}
