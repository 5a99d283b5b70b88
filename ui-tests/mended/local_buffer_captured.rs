//! The mend of `ui-tests/local_buffer_captured.rs`. Make the buffer outside, or take `c.scratch`.

use cuscope::{PushedGuard, Result, Stream};

fn right<'ctx>(gpu: &PushedGuard<'ctx>, stream: &mut Stream<'ctx>) -> Result {
    let mut buffer = gpu.alloc::<f32>(64)?;
    gpu.capture(stream, |c| {
        c.stream().fill(&mut c.hold(&mut buffer), 1.0)
    })
    .map(drop)
}

fn main() {}
