//! A stream that a scope uses cannot be captured in it, as the scope has to wait for it: take another one.

use cuscope::{PushedGuard, Result, Stream};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, mut stream: Stream<'ctx>) -> Result {
    gpu.scope(|s| {
        let _stream = s.on(&stream);
        let _graph = gpu.capture(&mut stream, |_| Ok(()))?;
        Ok(())
    })
}

fn main() {}
