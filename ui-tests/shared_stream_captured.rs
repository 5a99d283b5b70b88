//! A stream is captured by whoever has it alone: lend it with `&mut`.

use cuscope::{PushedGuard, Result, Stream};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>) -> Result {
    gpu.capture(stream, |_| Ok(())).map(drop)
}

fn main() {}
