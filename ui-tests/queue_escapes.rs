//! A queue does not leave its scope, which waits for it: take it from the stream again in the next scope.

use cuscope::{PushedGuard, Queue, Result, Stream};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>) -> Result {
    let mut kept: Option<Queue<'_, 'ctx>> = None;
    gpu.scope(|s| {
        kept = Some(s.on(stream));
        Ok(())
    })
}

fn main() {}
