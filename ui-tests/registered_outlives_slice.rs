//! A registration does not outlive its memory.
//!
//! **Why:** Copies with other memory at the address would use the old pages (F168). It is a part of
//! `pinned-is-rusts`.
//!
//! **Mend:** Keep what lives longer in a `PinnedBuffer`. See `ui-tests/mended/registered_outlives_slice.rs`.
//!
//! **Mistake** (E0515):

use cuscope::{PushedGuard, Result, memory::Registered};

fn misuse<'a>(gpu: &PushedGuard<'_>) -> Result<Registered<'a, f32>> {
    let mut data = vec![0.0; 1000];
    unsafe { gpu.register(&mut data) }
}

fn main() {}
