//! Page-locked memory holds plain data, as device memory does.
//!
//! **Why:** Copies write any bytes to it. It is a part of `plain-data`.
//!
//! **Mend:** Use `u8` for flags. See `ui-tests/mended/pinned_not_plain_data.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{PinnedBuffer, PushedGuard, Result};

fn misuse(gpu: &PushedGuard<'_>) -> Result<PinnedBuffer<bool>> {
    gpu.pinned(16)
}

fn main() {}
