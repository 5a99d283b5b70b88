//! A `ScopedStream` does not leave its scope, which waits for it: make a new one in the next scope.

use cuscope::{PushedGuard, ScopedStream, Result, Stream};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>) -> Result {
    let mut kept: Option<ScopedStream<'_, 'ctx>> = None;
    gpu.scope(|s| {
        kept = Some(s.on(stream));
        Ok(())
    })
}

fn main() {}
