//! The mend of `ui-tests/scoped_stream_sent.rs`. Give each thread a context stack and a scope of its own; streams
//! may be shared.

use cuscope::{PushedGuard, Result, Stream};

fn lend<T: Sync>(_: &T) {}

fn right<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>) -> Result {
    gpu.scope(|s| {
        s.on(stream).synchronize()
    })?;
    lend(stream);
    Ok(())
}

fn main() {}
