//! Host memory that is in flight belongs to the pending value. A borrowed slice may end before the copy.

use cuscope::{OrderedBuffer, OrderedStream, Result};

fn misuse<'ctx>(ordered: &OrderedStream, x: &OrderedBuffer<f32>) -> Result {
    let mut host = [0.0_f32; 8];
    let pending = ordered.download_owned(x, &mut host[..])?;
    pending.wait().map(drop)
}

fn main() {}
