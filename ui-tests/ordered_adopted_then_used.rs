//! A buffer that a stream has adopted is used by that stream, through what `adopt` returns.
//!
//! **Why:** The stream orders its own operations alone. A fill by another way would run at any time beside them. It
//! is a part of `ordered-apart`.
//!
//! **Mend:** Use what `adopt` returns, on the stream. See `ui-tests/mended/ordered_adopted_then_used.rs`.
//!
//! **Mistake** (E0382):

use cuscope::{DeviceBuffer, OrderedStream, PushedGuard, Result};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    ordered: &OrderedStream,
    mut x: DeviceBuffer<'ctx, f32>,
) -> Result {
    let _adopted = ordered.adopt(x)?;
    gpu.on(ordered.stream(gpu)?).fill(&mut x, 1.0)
}

fn main() {}
