//! Page-locked memory holds plain data, as device memory does: copies write any bytes to it.

use cuscope::{PinnedBuffer, PushedGuard, Result};

fn misuse(gpu: &PushedGuard<'_>) -> Result<PinnedBuffer<bool>> {
    gpu.pinned(16)
}

fn main() {}
