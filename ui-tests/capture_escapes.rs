//! The stream of a capture ends with it.
//!
//! **Why:** While a stream is under capture, nothing else uses it. Its capture ends with the closure, also on errors
//! and panics. This is `captured-unused`.
//!
//! **Mend:** Return nothing from the closure. See `ui-tests/mended/capture_escapes.rs`.
//!
//! **Mistake** (E0521):

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
