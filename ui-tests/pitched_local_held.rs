//! A scope holds rows until it has waited: make the buffer outside of the closure.

use cuscope::{PushedGuard, Result, Stream};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>) -> Result {
    gpu.scope(|s| {
        let mut buffer = gpu.alloc_pitched::<f32>((8, 8))?;
        s.on(stream).fill(&mut s.hold(&mut buffer), 1.0)
    })
}

fn main() {}
