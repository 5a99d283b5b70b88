//! A stream is captured by whoever has it alone.
//!
//! **Why:** Another holder could enqueue work in the stream during the capture. It would be recorded and not run, and
//! its wait would return at once (F103). It is a part of `captured-unused`.
//!
//! **Mend:** Lend it with `&mut`. See `ui-tests/mended/shared_stream_captured.rs`.
//!
//! **Mistake** (E0308):

use cuscope::{PushedGuard, Result, Stream};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>) -> Result {
    gpu.capture(stream, |_| Ok(())).map(drop)
}

fn main() {}
