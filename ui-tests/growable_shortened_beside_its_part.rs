//! A growable buffer gives no memory back while a part of it is in use.

use cuscope::memory::GrowableBuffer;
use cuscope::{Result, SyncStream};

fn misuse<'ctx>(stream: SyncStream<'_, 'ctx>, mut x: GrowableBuffer<'ctx, f32>) -> Result<Vec<f32>> {
    let part = x.slice(8..)?;
    x.truncate(8)?;
    stream.to_vec(&part)
}

fn main() {}
