//! A stream that was drawn into a capture stays there until the end: capture with its stream.

use cuscope::{PushedGuard, Result, Stream};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, main: &mut Stream<'ctx>, mut side: Stream<'ctx>) -> Result {
    gpu.capture(main, |c| {
        let _stream = c.fork(&mut side)?;
        side.synchronize()
    })
    .map(drop)
}

fn main() {}
