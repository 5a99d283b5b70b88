//! The mend of `ui-tests/shared_stream_captured.rs`. Lend it with `&mut`.

use cuscope::{PushedGuard, Result, Stream};

fn right<'ctx>(gpu: &PushedGuard<'ctx>, stream: &mut Stream<'ctx>) -> Result {
    gpu.capture(stream, |_| Ok(())).map(drop)
}

fn main() {}
