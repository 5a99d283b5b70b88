//! No context is pushed on a guard while it has a scope, which makes events in its context.
//!
//! **Why:** The scope makes its events in the context that is current. Under the inner guard they would belong to the
//! wrong one, and the driver refuses to record them (F36). It is a part of `scope-own`.
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
