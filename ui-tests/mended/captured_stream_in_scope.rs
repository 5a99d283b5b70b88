//! The mend of `ui-tests/captured_stream_in_scope.rs`. Take another one.

use cuscope::{PushedGuard, Result, Stream};

fn right<'ctx>(gpu: &PushedGuard<'ctx>, stream: Stream<'ctx>, mut other: Stream<'ctx>) -> Result {
    gpu.scope(|s| {
        let _stream = s.on(&stream);
        let _graph = gpu.capture(&mut other, |_| Ok(()))?;
        Ok(())
    })
}

fn main() {}
