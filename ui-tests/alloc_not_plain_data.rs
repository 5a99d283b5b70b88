//! What is not plain data cannot be allocated either.
//!
//! **Why:** A download would make values of it from whatever bytes the device left. It is a part of `plain-data`.
//!
//! **Mend:** Allocate `u8` for flags, indices for references. See `ui-tests/mended/alloc_not_plain_data.rs`.
//!
//! **Mistake** (E0277):

use cuscope::PushedGuard;

fn misuse(gpu: &PushedGuard<'_>) {
    let _ = gpu.alloc::<bool>(16);
}

fn main() {}
