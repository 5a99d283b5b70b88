//! A stream is captured by whoever has it alone.
//!
//! **Why:** While a stream is under capture, nothing else uses it. Its capture ends with the closure, also on errors
//! and panics. This is `captured-unused`.
//!
//! **Mend:** Lend it with `&mut`. See `ui-tests/mended/shared_stream_captured.rs`.
//!
//! **Mistake** (E0308):

use cuscope::{PushedGuard, Result, Stream};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>) -> Result {
    gpu.capture(stream, |_| Ok(())).map(drop)
}

fn main() {}
