//! The mend of `ui-tests/forked_stream_used.rs`. Use the stream after the capture.

use cuscope::{PushedGuard, Result, Stream};

fn right<'ctx>(gpu: &PushedGuard<'ctx>, main: &mut Stream<'ctx>, mut side: Stream<'ctx>) -> Result {
    let _graph = gpu.capture(main, |c| {
        let _stream = c.fork(&mut side)?;
        Ok(())
    })?;
    side.synchronize()
}

fn main() {}
