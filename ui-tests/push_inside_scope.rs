//! No context is pushed on a guard while it has a scope, which makes events in its context.
//!
//! **Why:** Streams of a scope, and memory that is lent to it, are used in that scope, on its thread and in their
//! context. This is `scope-own`.
//!
//! **Mend:** Push before or after, or in another scope's place. See `ui-tests/mended/push_inside_scope.rs`.
//!
//! **Mistake** (E0500):

use cuscope::{Context, PushedGuard, Result, Stream};

fn misuse<'ctx>(gpu: &mut PushedGuard<'ctx>, stream: &Stream<'ctx>, other: &Context) -> Result {
    gpu.scope(|s| {
        s.on(stream).synchronize()?;
        gpu.push(other)?.pop()
    })
}

fn main() {}
