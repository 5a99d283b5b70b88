//! Parts that are written do not overlap.
//!
//! **Why:** The order of two writes to the same elements must not depend on how the program is changed later, for
//! instance to two streams of a scope. It is a part of `host-memory-borrowed`.
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
