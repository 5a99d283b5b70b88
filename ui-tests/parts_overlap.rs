//! Parts that are written do not overlap.
//!
//! **Why:** An operation borrows host memory and buffers for as long as it uses them, exclusively if it writes them.
//! They are as long as the operation says. This is `host-memory-borrowed`.
//!
//! **Mend:** Take them by `split_at_mut` or `chunks_mut`, which give several at a time. See
//! `ui-tests/mended/parts_overlap.rs`.
//!
//! **Mistake** (E0499):

use cuscope::{DeviceBuffer, SyncStream, Result};

fn misuse<'ctx>(stream: SyncStream<'_, 'ctx>, x: &mut DeviceBuffer<'ctx, f32>) -> Result {
    let mut first = x.slice_mut(..8)?;
    let mut second = x.slice_mut(4..)?;
    stream.fill(&mut first, 1.0)?;
    stream.fill(&mut second, 2.0)
}

fn main() {}
