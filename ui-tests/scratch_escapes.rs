//! Scratch memory is freed inside its scope, and does not leave it: allocate outside what is to stay.

use cuscope::{PushedGuard, Result, ScopedBuffer, Stream};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>) -> Result {
    let mut kept: Option<ScopedBuffer<'_, f32>> = None;
    gpu.scope(|s| {
        kept = Some(s.on(stream).scratch(64)?);
        Ok(())
    })
}

fn main() {}
