//! The mend of `ui-tests/pinned_not_plain_data.rs`. Use `u8` for flags.

use cuscope::{PinnedBuffer, PushedGuard, Result};

fn right(gpu: &PushedGuard<'_>) -> Result<PinnedBuffer<u8>> {
    gpu.pinned(16)
}

fn main() {}
