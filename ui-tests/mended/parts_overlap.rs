//! The mend of `ui-tests/parts_overlap.rs`. Take them by `split_at_mut` or `chunks_mut`, which give several at a
//! time.

use cuscope::{DeviceBuffer, SyncStream, Result};

fn right<'ctx>(stream: SyncStream<'_, 'ctx>, x: &mut DeviceBuffer<'ctx, f32>) -> Result {
    let (mut first, mut second) = x.split_at_mut(8)?;
    stream.fill(&mut first, 1.0)?;
    stream.fill(&mut second, 2.0)
}

fn main() {}
