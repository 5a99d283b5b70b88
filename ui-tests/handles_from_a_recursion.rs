//! Each level of a recursion has a guard of its own, so its handles do not live longer than the call.
//!
//! **Why:** Each level may push another context. The vector would mix streams of several contexts under one lifetime,
//! and an operation with two of them is refused by nobody (F34). It is a part of `own-context`.
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
