//! A buffer that a stream has adopted is used by that stream, through what `adopt` returns.
//!
//! **Why:** Only operations of its stream use memory that belongs to a stream, so the device runs all uses in the
//! order of the calls. The free is behind them. This is `ordered-apart`.
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
