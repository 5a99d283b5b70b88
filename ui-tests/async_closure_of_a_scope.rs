//! The closure of a scope is not `async`.
//!
//! **Why:** It enqueues, and `scope` waits. It is a part of `scope-waits`.
//!
//! **Mend:** Await outside of it, or use an ordered stream. See `ui-tests/mended/async_closure_of_a_scope.rs`.
//!
//! **Mistake** (E0282):

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    x: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    gpu.scope(async |s| {
        s.on(stream).fill(&mut s.hold(x), 1.0)?;
        Ok(())
    })
}

fn main() {}
