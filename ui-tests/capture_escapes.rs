//! The stream of a capture ends with it: return nothing from the closure.

use cuscope::{PushedGuard, Result, Stream, graph::CaptureStream};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, stream: &mut Stream<'ctx>) -> Result {
    let mut kept: Option<CaptureStream<'_, 'ctx>> = None;
    gpu.capture(stream, |c| {
        kept = Some(c.stream());
        Ok(())
    })
    .map(drop)
}

fn main() {}
