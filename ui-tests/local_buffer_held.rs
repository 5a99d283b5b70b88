//! What a scope holds outlives its closure, as the work does: make the buffer outside, or take
//! `stream.scratch`.

use cuscope::{PushedGuard, Result, Stream};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>) -> Result {
    gpu.scope(|s| {
        let mut buffer = gpu.alloc::<f32>(64)?;
        s.on(stream).fill(&mut s.hold(&mut buffer), 1.0)
    })
}

fn main() {}
