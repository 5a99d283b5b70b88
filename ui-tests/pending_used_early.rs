//! Host memory that is in flight comes back when the device is done, and not before.

use cuscope::{OrderedBuffer, OrderedStream, PinnedBuffer, Result};

fn misuse<'ctx>(
    ordered: &OrderedStream,
    x: &OrderedBuffer<f32>,
    host: PinnedBuffer<f32>,
) -> Result<f32> {
    let pending = ordered.download_owned(x, host)?;
    let early = host[0];
    drop(pending);
    Ok(early)
}

fn main() {}
