//! The mend of `ui-tests/default_stream_in_scope.rs`. Create a stream: `gpu.stream()?`.

use cuscope::{PushedGuard, Result};

fn right(gpu: &PushedGuard<'_>) -> Result {
    let stream = gpu.stream()?;
    gpu.scope(|s| s.on(&stream).synchronize())
}

fn main() {}
