//! The queue of a capture ends with it: return nothing from the closure.

use cuscope::{PushedGuard, Result, Stream, graph::CaptureQueue};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, stream: &mut Stream<'ctx>) -> Result {
    let mut kept: Option<CaptureQueue<'_, 'ctx>> = None;
    gpu.capture(stream, |c| {
        kept = Some(c.queue());
        Ok(())
    })
    .map(drop)
}

fn main() {}
