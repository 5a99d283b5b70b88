//! Each level of a recursion has a guard of its own, so its handles do not live longer than the call. Detach them.

use cuscope::{Context, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &mut PushedGuard<'_>,
    contexts: &[Context],
    streams: &mut Vec<Stream<'ctx>>,
) -> Result {
    if let Some((first, rest)) = contexts.split_first() {
        let mut inner = gpu.push(first)?;
        streams.push(inner.stream()?);
        misuse(&mut inner, rest, streams)?;
    }
    Ok(())
}

fn main() {}
