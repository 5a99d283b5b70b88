//! The mend of `ui-tests/capture_escapes.rs`. Return nothing from the closure.

use cuscope::{PushedGuard, Result, Stream, graph::CaptureStream};

fn right<'ctx>(gpu: &PushedGuard<'ctx>, stream: &mut Stream<'ctx>) -> Result {
    gpu.capture(stream, |c| {
        let _stream: CaptureStream<'_, 'ctx> = c.stream();
        Ok(())
    })
    .map(drop)
}

fn main() {}
