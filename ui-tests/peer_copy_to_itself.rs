//! A copy between contexts has two ends.
//!
//! **Why:** Nothing is copied to the memory that it is copied from. It is a part of `peers-borrowed`.
//!
//! **Mend:** Copy to another buffer. See `ui-tests/mended/peer_copy_to_itself.rs`.
//!
//! **Mistake** (E0502):

use cuscope::{DeviceBuffer, Result, SyncStream};

fn misuse<'ctx>(on: SyncStream<'_, 'ctx>, x: &mut DeviceBuffer<'ctx, f32>) -> Result {
    on.copy_to_peer(x, x)
}

fn main() {}
