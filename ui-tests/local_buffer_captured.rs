//! What a capture holds outlives its closure: make the buffer outside, or take `c.scratch`.

use cuscope::{PushedGuard, Result, Stream};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, stream: &mut Stream<'ctx>) -> Result {
    gpu.capture(stream, |c| {
        let mut buffer = gpu.alloc::<f32>(64)?;
        c.stream().fill(&mut c.hold(&mut buffer), 1.0)
    })
    .map(drop)
}

fn main() {}
