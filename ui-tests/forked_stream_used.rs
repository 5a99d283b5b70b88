//! A stream that was drawn into a capture stays there until the end.
//!
//! **Why:** A wait for a stream under capture returns at once with an error (F103), and what is enqueued there is
//! recorded instead of run. It is a part of `captured-unused`.
//!
//! **Mend:** Use the stream after the capture. See `ui-tests/mended/forked_stream_used.rs`.
//!
//! **Mistake** (E0502):

use cuscope::{PushedGuard, Result, Stream};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, main: &mut Stream<'ctx>, mut side: Stream<'ctx>) -> Result {
    gpu.capture(main, |c| {
        let _stream = c.fork(&mut side)?;
        side.synchronize()
    })
    .map(drop)
}

fn main() {}
