//! The stream of an ordered stream is never captured: its memory is freed in it at any time.

use cuscope::{OrderedStream, PushedGuard, Result};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, ordered: &mut OrderedStream) -> Result {
    gpu.capture(ordered.stream(gpu)?, |_| Ok(())).map(drop)
}

fn main() {}
