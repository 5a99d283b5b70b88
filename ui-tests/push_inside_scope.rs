//! No context is pushed on a guard while it has a scope, which makes events in its context. Push before or
//! after, or in another scope's place.

use cuscope::{Context, PushedGuard, Result, Stream};

fn misuse<'ctx>(gpu: &mut PushedGuard<'ctx>, stream: &Stream<'ctx>, other: &Context) -> Result {
    gpu.scope(|s| {
        s.on(stream).synchronize()?;
        gpu.push(other)?.pop()
    })
}

fn main() {}
