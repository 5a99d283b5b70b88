//! A slice that is registered is used through what registered it, until that is dropped.
//!
//! **Why:** Page-locked memory that a program can name belongs to Rust, which registers it with the driver while it
//! lives, or to a pool of the host. cuscope frees the former only when the driver no longer knows it. The latter
//! belongs to no context. This is `pinned-is-rusts`.
//!
//! **Mend:** Use what registered it. See `ui-tests/mended/registered_slice_used.rs`.
//!
//! **Mistake** (E0499):

use cuscope::{PushedGuard, Result};

fn misuse(gpu: &PushedGuard<'_>, mut data: Vec<f32>) -> Result {
    let _registered = unsafe { gpu.register(&mut data) }?;
    data[0] = 1.0;
    Ok(())
}

fn main() {}
