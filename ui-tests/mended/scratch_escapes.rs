//! The mend of `ui-tests/scratch_escapes.rs`. Allocate outside what is to stay.

use cuscope::{PushedGuard, Result, ScopedBuffer, Stream};

fn right<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>) -> Result {
    let mut kept = gpu.alloc::<f32>(64)?;
    gpu.scope(|s| {
        let scratch: ScopedBuffer<'_, f32> = s.on(stream).scratch(64)?;
        s.on(stream).copy(&scratch, &mut s.hold(&mut kept))
    })
}

fn main() {}
