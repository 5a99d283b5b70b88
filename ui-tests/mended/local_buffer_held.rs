//! The mend of `ui-tests/local_buffer_held.rs`. Make the buffer outside, or take `stream.scratch`.

use cuscope::{PushedGuard, Result, Stream};

fn right<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>) -> Result {
    let mut buffer = gpu.alloc::<f32>(64)?;
    gpu.scope(|s| {
        s.on(stream).fill(&mut s.hold(&mut buffer), 1.0)
    })
}

fn main() {}
