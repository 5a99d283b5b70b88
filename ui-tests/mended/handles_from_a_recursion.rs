//! The mend of `ui-tests/handles_from_a_recursion.rs`. Detach them.

use cuscope::{Context, Detached, PushedGuard, Result, Stream};

fn right(
    gpu: &mut PushedGuard<'_>,
    contexts: &[Context],
    streams: &mut Vec<Detached<Stream<'static>>>,
) -> Result {
    if let Some((first, rest)) = contexts.split_first() {
        let mut inner = gpu.push(first)?;
        streams.push(inner.stream()?.detach());
        right(&mut inner, rest, streams)?;
    }
    Ok(())
}

fn main() {}
