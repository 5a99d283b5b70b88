//! A copy between contexts writes what it copies to, so that it takes that alone.
//!
//! **Why:** Others may read memory that is lent to read. It is a part of `peers-borrowed`.
//!
//! **Mend:** Take it as `&mut`. See `ui-tests/mended/peer_copy_to_shared.rs`.
//!
//! **Mistake** (E0308):

use cuscope::{DeviceBuffer, Result, SyncStream};

fn misuse<'ctx>(
    stream: &SyncStream<'_, 'ctx>,
    from: &DeviceBuffer<'_, f32>,
    to: &DeviceBuffer<'ctx, f32>,
) -> Result {
    stream.copy_from_peer(from, to)
}

fn main() {}
