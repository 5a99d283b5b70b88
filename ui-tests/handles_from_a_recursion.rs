//! Each level of a recursion has a guard of its own, so its handles do not live longer than the call.
//!
//! **Why:** Handles meet only guards and handles of their own context. This is `own-context`.
//!
//! **Mend:** Detach them. See `ui-tests/mended/handles_from_a_recursion.rs`.
//!
//! **Mistake** (E0621):

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
