//! A stream that a scope uses cannot be captured in it, as the scope has to wait for it.
//!
//! **Why:** While a stream is under capture, nothing else uses it. Its capture ends with the closure, also on errors
//! and panics. This is `captured-unused`.
//!
//! **Mend:** Take another one. See `ui-tests/mended/captured_stream_in_scope.rs`.
//!
//! **Mistake** (E0502):

use cuscope::{PushedGuard, Result, Stream};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, mut stream: Stream<'ctx>) -> Result {
    gpu.scope(|s| {
        let _stream = s.on(&stream);
        let _graph = gpu.capture(&mut stream, |_| Ok(()))?;
        Ok(())
    })
}

fn main() {}
