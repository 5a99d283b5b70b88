//! The mend of `ui-tests/ordered_used_while_held.rs`. Use it after the scope.

use cuscope::{OrderedBuffer, OrderedStream, PushedGuard, Result};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    ordered: &OrderedStream,
    mut x: OrderedBuffer<f32>,
) -> Result {
    gpu.scope(|s| {
        let _held = s.hold_ordered(&mut x)?;
        Ok(())
    })?;
    ordered.fill(&mut x, 1.0)
}

fn main() {}
