//! The mend of `ui-tests/ordered_borrows_host.rs`. Give it page-locked memory, which `wait` gives back.

use cuscope::{OrderedBuffer, OrderedStream, PushedGuard, Result};

fn right<'ctx>(gpu: &PushedGuard<'ctx>, ordered: &OrderedStream, x: &OrderedBuffer<f32>) -> Result {
    let host = gpu.pinned::<f32>(8)?;
    let pending = ordered.download_owned(x, host)?;
    pending.wait().map(drop)
}

fn main() {}
