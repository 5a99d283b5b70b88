//! The mend of `ui-tests/pending_used_early.rs`. Wait for the pending value, which returns the memory.

use cuscope::{OrderedBuffer, OrderedStream, PinnedBuffer, Result};

fn right<'ctx>(
    ordered: &OrderedStream,
    x: &OrderedBuffer<f32>,
    host: PinnedBuffer<f32>,
) -> Result<f32> {
    let pending = ordered.download_owned(x, host)?;
    let host = pending.wait()?;
    Ok(host[0])
}

fn main() {}
