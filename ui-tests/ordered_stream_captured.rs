//! The stream of an ordered stream is never captured.
//!
//! **Why:** Its memory is freed in it at any time. It is a part of `captured-unused`.
//!
//! **Mend:** Capture another stream, and replay the graph in the ordered one. See
//! `ui-tests/mended/ordered_stream_captured.rs`.
//!
//! **Mistake** (E0308):

use cuscope::{OrderedStream, PushedGuard, Result};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, ordered: &mut OrderedStream) -> Result {
    gpu.capture(ordered.stream(gpu)?, |_| Ok(())).map(drop)
}

fn main() {}
