//! The mend of `ui-tests/push_inside_scope.rs`. Push before or after, or in another scope's place.

use cuscope::{Context, PushedGuard, Result, Stream};

fn right<'ctx>(gpu: &mut PushedGuard<'ctx>, stream: &Stream<'ctx>, other: &Context) -> Result {
    gpu.scope(|s| {
        s.on(stream).synchronize()
    })?;
    gpu.push(other)?.pop()
}

fn main() {}
