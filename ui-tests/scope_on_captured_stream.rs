//! A scope cannot use a stream that is captured, as it could not wait for it: take another one.

use cuscope::{Graph, PushedGuard, Result, Stream};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, stream: &mut Stream<'ctx>) -> Result<Graph<'ctx>> {
    gpu.capture(stream, |_| {
        gpu.scope(|s| {
            let _stream = s.on(stream);
            Ok(())
        })
    })
}

fn main() {}
