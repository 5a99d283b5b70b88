//! The stream of a capture ends with it.
//!
//! **Why:** Outside of the closure the stream is no longer under capture. What the program takes for a node of the
//! graph would run at once, and with memory that only the graph was lent. It is a part of `captured-unused`.
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
