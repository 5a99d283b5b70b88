//! A `ScopedStream` does not leave its scope, which waits for it.
//!
//! **Why:** What is enqueued after the scope would be waited for by nobody, with memory that is lent for the scope
//! alone. It is a part of `scope-own`.
//!
//! **Mend:** Make a new one in the next scope. See `ui-tests/mended/scoped_stream_escapes.rs`.
//!
//! **Mistake** (E0521):

use cuscope::{PushedGuard, ScopedStream, Result, Stream};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>) -> Result {
    let mut kept: Option<ScopedStream<'_, 'ctx>> = None;
    gpu.scope(|s| {
        kept = Some(s.on(stream));
        Ok(())
    })
}

fn main() {}
