//! While a scope holds memory of an ordered stream, the stream does not use it.
//!
//! **Why:** The scope's streams and the ordered stream would work on the same memory at the same time, as none knows
//! of the other's work. It is a part of `ordered-apart`.
//!
//! **Mend:** Use it after the scope. See `ui-tests/mended/ordered_used_while_held.rs`.
//!
//! **Mistake** (E0499):

use cuscope::{OrderedBuffer, OrderedStream, PushedGuard, Result};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    ordered: &OrderedStream,
    mut x: OrderedBuffer<f32>,
) -> Result {
    gpu.scope(|s| {
        let _held = s.hold_ordered(&mut x)?;
        ordered.fill(&mut x, 1.0)
    })
}

fn main() {}
