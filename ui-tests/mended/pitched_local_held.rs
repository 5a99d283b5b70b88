//! The mend of `ui-tests/pitched_local_held.rs`. Make the buffer outside of the closure.

use cuscope::{PushedGuard, Result, Stream};

fn right<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>) -> Result {
    let mut buffer = gpu.alloc_pitched::<f32>((8, 8))?;
    gpu.scope(|s| {
        s.on(stream).fill(&mut s.hold(&mut buffer), 1.0)
    })
}

fn main() {}
