//! The mend of `ui-tests/alloc_not_plain_data.rs`. Allocate `u8` for flags, indices for references.

use cuscope::PushedGuard;

fn right(gpu: &PushedGuard<'_>) {
    let _ = gpu.alloc::<u8>(16);
}

fn main() {}
