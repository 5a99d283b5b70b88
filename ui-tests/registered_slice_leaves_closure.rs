//! A slice is registered during the closure that it is lent to, and no longer.
//!
//! **Why:** Page-locked memory that a program can name belongs to Rust, which registers it with the driver while it
//! lives, or to a pool of the host. cuscope frees the former only when the driver no longer knows it. The latter
//! belongs to no context. This is `pinned-is-rusts`.
//!
//! **Mend:** Use it inside, and the slice itself afterwards. See
//! `ui-tests/mended/registered_slice_leaves_closure.rs`.
//!
//! **Mistake** (a lifetime that may not live long enough):

use cuscope::{PushedGuard, Result};

fn misuse<'a>(gpu: &PushedGuard<'_>, data: &'a mut [f32]) -> Result<&'a mut [f32]> {
    gpu.with_registered(data, |data| Ok(data))
}

fn main() {}
