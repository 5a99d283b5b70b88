//! The mend of `ui-tests/scoped_stream_escapes.rs`. Make a new one in the next scope.

use cuscope::{PushedGuard, ScopedStream, Result, Stream};

fn right<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>) -> Result {
    gpu.scope(|s| {
        let _first: ScopedStream<'_, 'ctx> = s.on(stream);
        Ok(())
    })?;
    gpu.scope(|s| s.on(stream).synchronize())
}

fn main() {}
