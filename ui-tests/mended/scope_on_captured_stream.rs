//! The mend of `ui-tests/scope_on_captured_stream.rs`. Take another one.

use cuscope::{Graph, PushedGuard, Result, Stream};

fn right<'ctx>(gpu: &PushedGuard<'ctx>, stream: &mut Stream<'ctx>, other: &Stream<'ctx>) -> Result<Graph<'ctx>> {
    gpu.capture(stream, |_| {
        gpu.scope(|s| {
            let _stream = s.on(other);
            Ok(())
        })
    })
}

fn main() {}
