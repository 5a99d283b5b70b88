//! The mend of `ui-tests/registered_outlives_slice.rs`. Keep what lives longer in a `PinnedBuffer`.

use cuscope::{PinnedBuffer, PushedGuard, Result};

fn right(gpu: &PushedGuard<'_>) -> Result<PinnedBuffer<f32>> {
    gpu.pinned(1000)
}

fn main() {}
